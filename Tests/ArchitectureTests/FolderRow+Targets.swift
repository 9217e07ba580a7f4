extension FolderRow {
  /// The targets of layers 0 and 1 but for Query.
  static let values: [FolderRow] = [
    // Digits, hexadecimal, base64.
    FolderRow("BSON/Text"),
    FolderRow("BSON/Decimal128", uses: ["BSON/Text"]),
    FolderRow("BSON/Values", uses: ["BSON/Decimal128", "BSON/Text"]),
    // Reads and writes of any encoding.
    FolderRow("BSON", uses: ["BSON/Decimal128", "BSON/Values"]),
    FolderRow("BSON/Binary", uses: ["BSON", "BSON/Decimal128", "BSON/Values"]),
    FolderRow("BSON/JSON", uses: ["BSON", "BSON/Decimal128", "BSON/Text", "BSON/Values"]),
    FolderRow("BSON/CSV", uses: ["BSON/JSON"]),
    // Where each of many objects ends.
    FolderRow("BSON/Sequences", uses: ["BSON/JSON"]),
    FolderRow("BSON/ExtendedJSON", uses: ["BSON/Decimal128", "BSON/JSON", "BSON/Text", "BSON/Values"]),
    FolderRow("Model/Schema"),
    FolderRow("Model/Mixed", uses: ["Model/Schema"]),
    FolderRow("Model/Notation", uses: ["Model/Mixed", "Model/Schema"]),
    FolderRow("Model/Objects", uses: ["Model/Mixed", "Model/Schema"]),
    FolderRow("Model/Input", uses: ["Model/Mixed", "Model/Objects", "Model/Schema"]),
    // Rules for values beside their types.
    FolderRow("Model/Constraints", uses: ["Model/Input", "Model/Mixed", "Model/Objects", "Model/Schema"]),
    FolderRow(
      "Model/JSONSchema", uses: ["Model/Constraints", "Model/Mixed", "Model/Notation", "Model/Schema"]),
    // Objects of a file, one after the other.
    FolderRow("Model/Records", uses: ["Model/Input", "Model/Schema"]),
    FolderRow("Model/Edits", uses: ["Model/Input", "Model/Mixed", "Model/Objects", "Model/Schema"]),
    // Validity of schemas, which takes reading their defaults, and what distinguishes two.
    FolderRow(
      "Model/Validation", uses: ["Model/Constraints", "Model/Input", "Model/Objects", "Model/Schema"]),
  ]

  /// MongoDB's language over documents.
  static let documents: [FolderRow] = [
    // Errors, and the bounds of a query.
    FolderRow("Documents"),
    // The order of values, paths, arithmetic.
    FolderRow("Documents/Values", uses: ["Documents"]),
    // Shapes, regions and distances.
    FolderRow("Documents/Geo", uses: ["Documents", "Documents/Values"]),
    FolderRow("Documents/Regex", uses: ["Documents"]),
    FolderRow("Documents/Expressions", uses: ["Documents", "Documents/Regex", "Documents/Values"]),
    FolderRow(
      "Documents/Filters",
      uses: ["Documents", "Documents/Expressions", "Documents/Geo", "Documents/Regex", "Documents/Values"]),
    FolderRow(
      "Documents/Projections",
      uses: ["Documents", "Documents/Expressions", "Documents/Filters", "Documents/Values"]),
    FolderRow(
      "Documents/Aggregation",
      uses: [
        "Documents", "Documents/Expressions", "Documents/Filters", "Documents/Geo", "Documents/Projections",
        "Documents/Values",
      ]),
    FolderRow(
      "Documents/Updates",
      uses: [
        "Documents", "Documents/Aggregation", "Documents/Expressions", "Documents/Filters",
        "Documents/Values",
      ]),
    FolderRow(
      "Documents/Queries",
      uses: [
        "Documents", "Documents/Aggregation", "Documents/Filters", "Documents/Projections",
        "Documents/Values",
      ]),
    // Filters to predicates on classes.
    FolderRow("Documents/Planning", uses: ["Documents/Filters", "Documents/Values"]),
  ]

  /// Who may what, what was done, and the code of users.
  static let rules: [FolderRow] = [
    FolderRow("Access/Roles"),
    FolderRow("Access/Tokens"),
    FolderRow("Access/Users", uses: ["Access/Roles", "Access/Tokens"]),
    // Who asks.
    FolderRow("Access", uses: ["Access/Roles", "Access/Users"]),
    FolderRow("Access/Keys", uses: ["Access", "Access/Roles"]),
    FolderRow("Access/Permits", uses: ["Access", "Access/Roles"]),
    // An event as it is stored.
    FolderRow("Audit/Events"),
    FolderRow("Audit/Text", uses: ["Audit/Events"]),
    FolderRow("Audit/Trail", uses: ["Audit/Events", "Audit/Text"]),
    FolderRow("Audit/Recording", uses: ["Audit/Events", "Audit/Text", "Audit/Trail"]),
    FolderRow("Audit/Archive", uses: ["Audit/Events", "Audit/Recording"]),
    FolderRow("Triggers/Definitions"),
    FolderRow("Triggers/Running", uses: ["Triggers/Definitions"]),
    FolderRow("Functions/Rules"),
    FolderRow("Functions/Calls", uses: ["Functions/Rules"]),
    FolderRow("Functions/Workers", uses: ["Functions/Calls"]),
    FolderRow("Functions/Directory", uses: ["Functions/Calls", "Functions/Rules", "Functions/Workers"]),
    // The host, which finds functions and calls them.
    FolderRow(
      "Functions", uses: ["Functions/Calls", "Functions/Directory", "Functions/Rules", "Functions/Workers"]),
  ]

  /// The replicated log.
  static let cluster: [FolderRow] = [
    // The bytes of an entry, and the chain of their hashes.
    FolderRow("Cluster/Entries"),
    // Connections to log servers, and requests to them over HTTP.
    FolderRow("Cluster/Sockets"),
    FolderRow("Cluster/Requests"),
    FolderRow("Cluster/Log", uses: ["Cluster/Entries", "Cluster/Sockets"]),
    // A log for tests, with its faults.
    FolderRow("Cluster/Memory", uses: ["Cluster/Entries", "Cluster/Log"]),
    FolderRow(
      "Cluster/NATS", uses: ["Cluster/Entries", "Cluster/Log", "Cluster/Requests", "Cluster/Sockets"]),
    FolderRow(
      "Cluster/Etcd", uses: ["Cluster/Entries", "Cluster/Log", "Cluster/Requests", "Cluster/Sockets"]),
    // A node: who leads, who follows, and what the store is told.
    FolderRow("Cluster/Members", uses: ["Cluster/Entries", "Cluster/Log"]),
    // A store whose transactions go into the log, and which takes those of others from there.
    FolderRow("Cluster/Stores", uses: ["Cluster/Entries", "Cluster/Log", "Cluster/Members"]),
    // The setting that says where the log is.
    FolderRow("Cluster", uses: ["Cluster/Etcd", "Cluster/Log", "Cluster/NATS", "Cluster/Sockets"]),
  ]

  /// Bytes to requests and back.
  static let network: [FolderRow] = [
    FolderRow("HTTP/Limits"),
    // The head of a request, and all that server and application share.
    FolderRow("HTTP/Messages"),
    FolderRow("HTTP/Parsing", uses: ["HTTP/Limits", "HTTP/Messages"]),
    // For whom a proxy asks.
    FolderRow("HTTP/Proxies", uses: ["HTTP/Messages", "HTTP/Parsing"]),
    FolderRow("HTTP/Policies", uses: ["HTTP/Messages"]),
    FolderRow("HTTP/Connection", uses: ["HTTP/Limits", "HTTP/Messages", "HTTP/Parsing"]),
    // System calls, and their errors.
    FolderRow("Server/System"),
    // Values without a socket, which say what a connection and a loop may do next.
    FolderRow("Server/States", uses: ["Server/System"]),
    FolderRow("Server/TLS", uses: ["Server/System"]),
    FolderRow("Server/Sockets", uses: ["Server/System", "Server/TLS"]),
    // Event loops and the connections that they own.
    FolderRow("Server/Loop", uses: ["Server/Sockets", "Server/States", "Server/System", "Server/TLS"]),
    FolderRow("Server", uses: ["Server/Loop", "Server/Sockets", "Server/System", "Server/TLS"]),
  ]

  /// A live Realm, its results, and who is told of changes: each knows the others.
  static let live: [FolderRow] = {
    let folders = ["Live", "Live/Changes", "Live/Results"]
    return folders.map { FolderRow($0, uses: Set(folders)) }
  }()

  /// The types of Realm's API know each other: an object its Realm, a Realm its collections, and they their objects.
  static let realmSwift: [FolderRow] = {
    let folders = [
      "RealmSwift/App", "RealmSwift/Collections", "RealmSwift/Events", "RealmSwift/Mongo",
      "RealmSwift/Notifications", "RealmSwift/Objects", "RealmSwift/Observed",
      "RealmSwift/Predicate",
      "RealmSwift/Projections", "RealmSwift/Protocols", "RealmSwift/Query", "RealmSwift/Realm",
      "RealmSwift/Schema", "RealmSwift/Sections", "RealmSwift/Threads", "RealmSwift/Values",
    ]
    return folders.map { FolderRow($0, uses: Set(folders)) }
  }()

  static let app: [FolderRow] = [
    FolderRow("App/Terminal"),
    // A data directory: the names of its files, and those of old events.
    FolderRow("App/Directory", uses: ["App/Terminal"]),
    FolderRow("App/Settings", uses: ["App/Directory", "App/Terminal"]),
    FolderRow("App/Traces", uses: ["App/Settings", "App/Terminal"]),
    // Requests to servers that keep objects as S3 does.
    FolderRow("App/S3", uses: ["App/Settings", "App/Terminal"]),
    FolderRow("App/Backup", uses: ["App/Directory", "App/S3", "App/Settings", "App/Terminal"]),
    // The server as a node of a cluster.
    FolderRow("App/Cluster", uses: ["App/Directory", "App/Settings", "App/Terminal"]),
    // Classes of an app in databases of their own, as its data directory says.
    FolderRow("App/Groups", uses: ["App/Backup", "App/Directory", "App/Settings", "App/Terminal"]),
    // A data directory that is served.
    FolderRow(
      "App/Database",
      uses: [
        "App/Backup", "App/Cluster", "App/Directory", "App/Groups", "App/Settings", "App/Terminal",
        "App/Traces",
      ]),
    // Databases beside the default one.
    FolderRow(
      "App/Apps",
      uses: [
        "App/Backup", "App/Cluster", "App/Database", "App/Directory", "App/Groups", "App/Settings",
        "App/Terminal",
      ]),
    // All that runs while the server does.
    FolderRow(
      "App/Service",
      uses: ["App/Apps", "App/Cluster", "App/Database", "App/Settings", "App/Terminal", "App/Traces"]),
    // The metrics of a server, as people read them.
    FolderRow("App/Top", uses: ["App/Terminal"]),
    FolderRow("App/Help", uses: ["App/Settings"]),
    FolderRow("App/Files", uses: ["App/Directory", "App/Settings", "App/Terminal"]),
    // Programs that use a server, made of its schema.
    FolderRow("App/Clients"),
    FolderRow("App/Audit", uses: ["App/Database", "App/Directory", "App/Settings", "App/Terminal"]),
    // Steps of a store's history, which are files.
    FolderRow("App/Migrations", uses: ["App/Directory", "App/Settings", "App/Terminal"]),
    FolderRow("App/Keys", uses: ["App/Database", "App/Groups", "App/Settings", "App/Terminal"]),
    // Objects from files, and to them.
    FolderRow("App/Import", uses: ["App/Database", "App/Settings", "App/Terminal"]),
    // The rules of an app of App Services as rights, and back.
    FolderRow("App/Rules", uses: ["App/Terminal"]),
    // The parts that an app of App Services becomes.
    FolderRow(
      "App/Moving",
      uses: [
        "App/Database", "App/Directory", "App/Files", "App/Rules", "App/Settings", "App/Terminal",
      ]),
    FolderRow(
      "App/Commands",
      uses: [
        "App/Apps", "App/Audit", "App/Backup", "App/Clients", "App/Cluster", "App/Database", "App/Directory",
        "App/Files",
        "App/Help",
        "App/Import",
        "App/Keys",
        "App/Migrations", "App/Moving",
        "App/Service", "App/Settings",
        "App/Terminal", "App/Top", "App/Traces",
      ]),
    // The program.
    FolderRow("App", uses: ["App/Commands", "App/Settings", "App/Terminal"]),
  ]
}
