import Testing

/// The folders whose types the files of a folder may name. Nothing knows anything of a folder below its own row.
struct FolderRow: Sendable, CustomTestStringConvertible {
  /// Below `Sources`.
  let folder: String
  /// Folders of the same target. Files in no folder may be used by all, unless they have a row, which is the name of the
  /// target.
  let uses: Set<String>

  init(_ folder: String, uses: Set<String> = []) {
    self.folder = folder
    self.uses = uses
  }

  var testDescription: String { folder }

  /// One row per folder, each below those that it uses. This is the place to argue.
  static let all: [FolderRow] = query + storage + api

  private static let query: [FolderRow] = [
    // What a query asks, bound to a schema.
    FolderRow("Query/Predicates"),
    FolderRow("Query/Plans", uses: ["Query/Predicates"]),
    // Arithmetic and the words of a text.
    FolderRow("Query/Values", uses: ["Query/Predicates"]),
    FolderRow("Query/Evaluation", uses: ["Query/Plans", "Query/Predicates", "Query/Values"]),
    FolderRow("Query/Text", uses: ["Query/Predicates"]),
    FolderRow("Query/Syntax", uses: ["Query/Predicates"]),
    FolderRow(
      "Query/Binding",
      uses: ["Query/Evaluation", "Query/Plans", "Query/Predicates", "Query/Syntax", "Query/Values"]),
    // Text and parameters to plans.
    FolderRow(
      "Query/Requests", uses: ["Query/Binding", "Query/Plans", "Query/Predicates", "Query/Syntax"]),
  ]

  private static let storage: [FolderRow] = [
    // Codings of values, directories and files, addresses of rows.
    FolderRow("Storage/File"),
    // Which tables and columns there are.
    FolderRow("Storage/Schema"),
    // A connection's session, and reading what one row has.
    FolderRow("Storage/Rows", uses: ["Storage/File", "Storage/Schema"]),
    // Plans to SQL.
    FolderRow("Storage/SQL", uses: ["Storage/File", "Storage/Rows", "Storage/Schema"]),
    // The statements that write.
    FolderRow("Storage/Statements", uses: ["Storage/File", "Storage/Rows", "Storage/Schema"]),
    FolderRow("Storage/Records", uses: ["Storage/Rows"]),
    FolderRow("Storage/Migration", uses: ["Storage/Rows", "Storage/Schema"]),
    FolderRow("Storage/Cache", uses: ["Storage/File", "Storage/Rows"]),
    FolderRow("Storage/Log", uses: ["Storage/File", "Storage/Rows", "Storage/Schema"]),
    // Opening the file, and what readers and the writer share of it.
    FolderRow(
      "Storage/State",
      uses: [
        "Storage/Cache", "Storage/File", "Storage/Log", "Storage/Records", "Storage/Rows", "Storage/SQL",
        "Storage/Schema",
      ]),
    // Reading does not know writing, nor writing reading: they meet in State.
    FolderRow(
      "Storage/Reading",
      uses: [
        "Storage/Cache", "Storage/File", "Storage/Log", "Storage/Migration", "Storage/Records",
        "Storage/Rows", "Storage/SQL", "Storage/Schema", "Storage/State",
      ]),
    FolderRow(
      "Storage/Maintenance",
      uses: [
        "Storage/File", "Storage/Log", "Storage/Reading", "Storage/Rows", "Storage/Schema", "Storage/State",
      ]),
    // What callers of the writer hand in and get back.
    FolderRow("Storage/Writing/Requests", uses: ["Storage/Rows", "Storage/Schema", "Storage/Statements"]),
    FolderRow("Storage/Writing/Base", uses: ["Storage/Log", "Storage/Rows", "Storage/Statements"]),
    // The owners of tables.
    FolderRow(
      "Storage/Writing/Stores",
      uses: [
        "Storage/File", "Storage/Migration", "Storage/Rows", "Storage/Schema", "Storage/Statements",
        "Storage/Writing/Base",
      ]),
    // Values before and after.
    FolderRow(
      "Storage/Writing/Capture",
      uses: [
        "Storage/File", "Storage/Log", "Storage/Rows", "Storage/Schema", "Storage/Statements",
        "Storage/Writing/Base", "Storage/Writing/Requests", "Storage/Writing/Stores",
      ]),
    FolderRow(
      "Storage/Writing/Operations",
      uses: [
        "Storage/File", "Storage/Log", "Storage/Rows", "Storage/SQL", "Storage/Schema", "Storage/Statements",
        "Storage/Writing/Base", "Storage/Writing/Capture", "Storage/Writing/Requests",
        "Storage/Writing/Stores",
      ]),
    // The steps of a transaction.
    FolderRow(
      "Storage/Writing/Transaction",
      uses: [
        "Storage/File", "Storage/Log", "Storage/Rows", "Storage/Schema", "Storage/State",
        "Storage/Statements", "Storage/Writing/Base", "Storage/Writing/Capture",
        "Storage/Writing/Operations", "Storage/Writing/Requests", "Storage/Writing/Stores",
      ]),
    // The queue of transactions, and SQLite's own.
    FolderRow(
      "Storage/Writing/Writer",
      uses: [
        "Storage/File", "Storage/Maintenance", "Storage/Migration", "Storage/Records", "Storage/Rows",
        "Storage/Schema", "Storage/State", "Storage/Writing/Requests", "Storage/Writing/Transaction",
      ]),
  ]

  /// What is not true yet, as `file: type`: each is to go.
  static let exceptions: Set<String> = []
}
