extension FolderRow {
  static let feeds: [FolderRow] = [
    // Positions, frames and bounds of a stream: plain values.
    FolderRow("Feeds/Streams"),
    // Objects as they were, and the links between them.
    FolderRow("Feeds/History", uses: ["Feeds/Streams"]),
    FolderRow("Feeds/Dependencies", uses: ["Feeds/History", "Feeds/Streams"]),
    // Changes and their meaning: no knowledge of who watches.
    FolderRow("Feeds/Changes", uses: ["Feeds/Dependencies", "Feeds/History", "Feeds/Streams"]),
    FolderRow("Feeds/Properties", uses: ["Feeds/Changes", "Feeds/Dependencies", "Feeds/History"]),
    FolderRow(
      "Feeds/Encoding", uses: ["Feeds/Changes", "Feeds/History", "Feeds/Properties", "Feeds/Streams"]),
    FolderRow("Feeds/Results", uses: ["Feeds/Encoding", "Feeds/Properties", "Feeds/Streams"]),
    // Requests in the terms of a schema.
    FolderRow(
      "Feeds/Subscriptions",
      uses: ["Feeds/Changes", "Feeds/Dependencies", "Feeds/History", "Feeds/Properties", "Feeds/Streams"]),
    // From a change to those who are told of it.
    FolderRow(
      "Feeds/Matching",
      uses: [
        "Feeds/Changes", "Feeds/Dependencies", "Feeds/Encoding", "Feeds/History", "Feeds/Properties",
        "Feeds/Streams", "Feeds/Subscriptions",
      ]),
    FolderRow(
      "Feeds/Delivery",
      uses: [
        "Feeds/Encoding", "Feeds/History", "Feeds/Matching", "Feeds/Results", "Feeds/Streams",
        "Feeds/Subscriptions",
      ]),
    // The log for those who do something about each change.
    FolderRow(
      "Feeds/Following",
      uses: ["Feeds/Changes", "Feeds/Encoding", "Feeds/History", "Feeds/Streams", "Feeds/Subscriptions"]),
  ]
}
