extension FolderRow {
  static let api: [FolderRow] = [
    FolderRow("API/Problems"),
    FolderRow("API/Messages", uses: ["API/Problems"]),
    FolderRow("API/Errors", uses: ["API/Messages", "API/Problems"]),
    // The routes that functions answer, and the names of data sources, as files of an app say them.
    FolderRow("API/Configuration"),
    FolderRow("API/Access", uses: ["API/Messages"]),
    // Classes of an app in databases of their own.
    FolderRow("API/Groups", uses: ["API/Messages", "API/Problems"]),
    // The requests and mails that go to others about users.
    FolderRow("API/Users/Outbound"),
    FolderRow("API/Users", uses: ["API/Access", "API/Groups", "API/Problems", "API/Users/Outbound"]),
    // The web site beside the API.
    FolderRow("API/Hosting", uses: ["API/Messages"]),
    // The running server, for its administrators.
    FolderRow("API/Server", uses: ["API/Groups", "API/Messages", "API/Problems"]),
    // The transactions that functions make of several commands.
    FolderRow("API/FunctionTransactions"),
    FolderRow(
      "API/Calls",
      uses: [
        "API/Access", "API/Configuration", "API/FunctionTransactions", "API/Groups", "API/Hosting",
        "API/Messages",
        "API/Problems", "API/Server",
        "API/Users",
      ]),
    FolderRow("API/Queries", uses: ["API/Messages"]),
    // The store as it was.
    FolderRow("API/Past", uses: ["API/Calls", "API/Groups", "API/Messages"]),
    // The results of several stores that share the objects of a class.
    FolderRow("API/Shards", uses: ["API/Calls"]),
    // Objects as the rows of a table.
    FolderRow("API/Tables"),
    // The features. None knows the gateway, and few know another one.
    FolderRow("API/Operations", uses: ["API/Calls", "API/Messages"]),
    FolderRow("API/Console", uses: ["API/Calls", "API/Messages"]),
    FolderRow("API/Schema", uses: ["API/Calls", "API/Groups", "API/Messages"]),
    FolderRow(
      "API/Events",
      uses: ["API/Access", "API/Calls", "API/Groups", "API/Messages", "API/Problems", "API/Queries"]),
    FolderRow(
      "API/Collections",
      uses: [
        "API/Calls", "API/Events", "API/Groups", "API/Messages", "API/Past", "API/Queries", "API/Shards",
        "API/Tables",
      ]),
    FolderRow(
      "API/Properties",
      uses: ["API/Calls", "API/Collections", "API/Events", "API/Messages", "API/Queries"]),
    FolderRow("API/Transactions", uses: ["API/Calls", "API/Collections", "API/Messages"]),
    FolderRow("API/Functions", uses: ["API/Calls", "API/Messages", "API/Problems", "API/Users"]),
    FolderRow("API/Triggers", uses: ["API/Calls", "API/Messages"]),
    FolderRow("API/Audit", uses: ["API/Calls", "API/Messages", "API/Problems"]),
    FolderRow(
      "API/Administration",
      uses: [
        "API/Access", "API/Calls", "API/Groups", "API/Messages", "API/Queries", "API/Server", "API/Users",
      ]),
    // Documents over classes, for every protocol that has them. Change streams are made of the gateway's own.
    FolderRow(
      "API/DataSource",
      uses: [
        "API/Calls", "API/Collections", "API/FunctionTransactions", "API/Groups", "API/Messages",
        "API/Problems",
      ]),
    // It calls functions as their feature does, by members of the context.
    FolderRow(
      "API/AppServices",
      uses: [
        "API/Access", "API/Calls", "API/Configuration", "API/DataSource", "API/FunctionTransactions",
        "API/Functions", "API/Messages", "API/Problems",
        "API/Users",
      ]),
    FolderRow("API/DataAPI", uses: ["API/Calls", "API/DataSource", "API/Messages", "API/Problems"]),
    // The tables in which a gateway finds endpoints and callers, and the last changes of answers before they are sent.
    FolderRow("API/Routing", uses: ["API/Access", "API/Calls", "API/Messages", "API/Users"]),
    // The gateway with those of groups, and the pipeline, which know features only as a list.
    FolderRow(
      "API",
      uses: [
        "API/Access", "API/Calls", "API/FunctionTransactions", "API/Groups", "API/Hosting", "API/Messages",
        "API/Problems", "API/Routing", "API/Server", "API/Users",
      ]),
    // The requests that nodes of a cluster send each other.
    FolderRow(
      "API/Nodes",
      uses: [
        "API", "API/Calls", "API/FunctionTransactions", "API/Groups", "API/Messages", "API/Problems",
        "API/Routing", "API/Server", "API/Users",
      ]),
    // Requests that are divided among shards, commands on documents among them.
    FolderRow(
      "API/Shards/Routing",
      uses: [
        "API", "API/Calls", "API/DataSource", "API/Groups", "API/Messages", "API/Problems",
      ]),
    // The group that a request is about.
    FolderRow(
      "API/Groups/Routing",
      uses: [
        "API", "API/Access", "API/Calls", "API/FunctionTransactions", "API/Groups", "API/Messages",
        "API/Nodes", "API/Problems", "API/Routing", "API/Server", "API/Shards/Routing",
      ]),
  ]
}
