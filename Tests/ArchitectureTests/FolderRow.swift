import Testing

/// The folders whose types the files of a folder may name. Nothing knows anything of a folder below its own row.
struct FolderRow: Sendable, CustomTestStringConvertible {
  /// Below `Sources`.
  let folder: String
  /// Folders of the same target; the name of the target is that of its files in no folder.
  let uses: Set<String>

  init(_ folder: String, uses: Set<String> = []) {
    self.folder = folder
    self.uses = uses
  }

  var testDescription: String { folder }

  /// One row per folder, each below those that it uses. This is the place to argue.
  static let all: [FolderRow] =
    values + query + documents + storage + feeds + rules + cluster + network + api + live + realmSwift + app

  private static let query: [FolderRow] = [
    // The errors.
    FolderRow("Query"),
    // Predicates, bound to a schema.
    FolderRow("Query/Predicates", uses: ["Query"]),
    FolderRow("Query/Plans", uses: ["Query/Predicates"]),
    // Arithmetic and the words of a text.
    FolderRow("Query/Values", uses: ["Query/Predicates"]),
    FolderRow("Query/Evaluation", uses: ["Query/Plans", "Query/Predicates", "Query/Values"]),
    FolderRow("Query/Text", uses: ["Query/Predicates"]),
    FolderRow("Query/Syntax", uses: ["Query", "Query/Predicates"]),
    FolderRow(
      "Query/Binding",
      uses: ["Query", "Query/Evaluation", "Query/Plans", "Query/Predicates", "Query/Syntax", "Query/Values"]),
    // Text and parameters to plans.
    FolderRow(
      "Query/Requests",
      uses: ["Query", "Query/Binding", "Query/Evaluation", "Query/Plans", "Query/Predicates", "Query/Syntax"]),
  ]

  private static let storage: [FolderRow] = [
    // Codings of values, directories and files, addresses of rows.
    FolderRow("Storage/File"),
    // Which tables and columns there are.
    FolderRow("Storage/Schema", uses: ["Storage/File"]),
    // A connection with its catalog and its compiled statements.
    FolderRow("Storage/Session", uses: ["Storage/File", "Storage/Schema"]),
    // The text of all statements that are not compiled from a query.
    FolderRow("Storage/Statements", uses: ["Storage/File", "Storage/Schema", "Storage/Session"]),
    // Reading what one row has.
    FolderRow(
      "Storage/Rows", uses: ["Storage/File", "Storage/Schema", "Storage/Session", "Storage/Statements"]),
    // Predicates to conditions in SQL, then plans to statements.
    FolderRow("Storage/SQL/Predicates", uses: ["Storage/File", "Storage/Schema"]),
    FolderRow(
      "Storage/SQL",
      uses: [
        "Storage/File", "Storage/Rows", "Storage/SQL/Predicates", "Storage/Schema", "Storage/Session",
        "Storage/Statements",
      ]),
    FolderRow("Storage/Records", uses: ["Storage/File", "Storage/Session", "Storage/Statements"]),
    // The rules of the schema that objects are held against.
    FolderRow(
      "Storage/Constraints",
      uses: ["Storage/File", "Storage/Rows", "Storage/Schema", "Storage/Session", "Storage/Statements"]),
    FolderRow(
      "Storage/Migration",
      uses: [
        "Storage/Constraints", "Storage/File", "Storage/Schema", "Storage/Session", "Storage/Statements",
      ]),
    FolderRow(
      "Storage/Cache", uses: ["Storage/File", "Storage/Rows", "Storage/Session", "Storage/Statements"]),
    FolderRow(
      "Storage/Log",
      uses: ["Storage/File", "Storage/Rows", "Storage/Schema", "Storage/Session", "Storage/Statements"]),
    // Objects as values, for whoever wants no bytes.
    FolderRow(
      "Storage/Values",
      uses: [
        "Storage/File", "Storage/Log", "Storage/Records", "Storage/Rows", "Storage/SQL", "Storage/Schema",
        "Storage/Session", "Storage/Statements",
      ]),
    // Rows of a transaction as bytes for a log, and back into another file.
    FolderRow("Storage/Replication", uses: ["Storage/File", "Storage/Statements"]),
    // Opening the file, and what readers and the writer share of it.
    FolderRow(
      "Storage/State",
      uses: [
        "Storage/Cache", "Storage/File", "Storage/Log", "Storage/Replication", "Storage/SQL",
        "Storage/Schema", "Storage/Session",
        "Storage/Statements",
      ]),
    // Reading does not know writing, nor writing reading: they meet in State.
    FolderRow("Storage/Reading/Sections", uses: ["Storage/File"]),
    FolderRow(
      "Storage/Reading",
      uses: [
        "Storage/Cache", "Storage/File", "Storage/Log", "Storage/Migration", "Storage/Reading/Sections",
        "Storage/Records", "Storage/Rows", "Storage/SQL", "Storage/SQL/Predicates", "Storage/Schema",
        "Storage/Session", "Storage/State", "Storage/Statements",
      ]),
    // The value at the end of a path.
    FolderRow(
      "Storage/Reading/Paths",
      uses: [
        "Storage/File", "Storage/Reading", "Storage/Rows", "Storage/Schema", "Storage/Session",
        "Storage/Statements",
      ]),
    // States of the store that are held.
    FolderRow(
      "Storage/Pins",
      uses: [
        "Storage/File", "Storage/Log", "Storage/Reading", "Storage/SQL", "Storage/Schema", "Storage/Session",
        "Storage/State", "Storage/Statements", "Storage/Values",
      ]),
    // Reads that would keep an event loop too long.
    FolderRow("Storage/Reading/Threads", uses: ["Storage/File", "Storage/Reading", "Storage/State"]),
    FolderRow(
      "Storage/Maintenance",
      uses: [
        "Storage/File", "Storage/Log", "Storage/Reading", "Storage/Replication", "Storage/Rows",
        "Storage/Schema", "Storage/Session", "Storage/State", "Storage/Statements",
      ]),
    // Requests to the writer, and their outcomes.
    FolderRow(
      "Storage/Writing/Requests",
      uses: [
        "Storage/File", "Storage/Records", "Storage/Replication", "Storage/Rows", "Storage/Schema",
        "Storage/Statements",
      ]),
    FolderRow(
      "Storage/Writing/Base",
      uses: ["Storage/File", "Storage/Log", "Storage/SQL", "Storage/Session", "Storage/Statements"]),
    // Objects that quotas count.
    FolderRow(
      "Storage/Writing/Quotas",
      uses: [
        "Storage/File", "Storage/Rows", "Storage/SQL", "Storage/Schema", "Storage/Session",
        "Storage/Statements", "Storage/Writing/Base", "Storage/Writing/Requests",
      ]),
    // The owners of tables.
    FolderRow(
      "Storage/Writing/Stores",
      uses: [
        "Storage/File", "Storage/Migration", "Storage/Rows", "Storage/Schema", "Storage/Session",
        "Storage/Statements", "Storage/Writing/Base",
      ]),
    // Values before and after.
    FolderRow(
      "Storage/Writing/Capture",
      uses: [
        "Storage/File", "Storage/Log", "Storage/Rows", "Storage/Schema", "Storage/Session",
        "Storage/Statements", "Storage/Writing/Base", "Storage/Writing/Quotas", "Storage/Writing/Requests",
        "Storage/Writing/Stores",
      ]),
    FolderRow(
      "Storage/Writing/Operations",
      uses: [
        "Storage/Constraints", "Storage/File", "Storage/Log", "Storage/Rows", "Storage/SQL", "Storage/Schema",
        "Storage/Session",
        "Storage/State", "Storage/Statements", "Storage/Values", "Storage/Writing/Base",
        "Storage/Writing/Capture",
        "Storage/Writing/Quotas", "Storage/Writing/Requests", "Storage/Writing/Stores",
      ]),
    // The steps of a transaction.
    FolderRow(
      "Storage/Writing/Transaction",
      uses: [
        "Storage/File", "Storage/Log", "Storage/Rows", "Storage/SQL", "Storage/Schema", "Storage/Session",
        "Storage/State", "Storage/Statements", "Storage/Values", "Storage/Writing/Base",
        "Storage/Writing/Capture",
        "Storage/Writing/Operations", "Storage/Writing/Quotas", "Storage/Writing/Requests",
        "Storage/Writing/Stores",
      ]),
    // The queue of transactions, and SQLite's own.
    FolderRow(
      "Storage/Writing/Writer",
      uses: [
        "Storage/File", "Storage/Maintenance", "Storage/Migration", "Storage/Records", "Storage/Replication",
        "Storage/Rows", "Storage/Schema", "Storage/Session", "Storage/State", "Storage/Statements",
        "Storage/Values", "Storage/Writing/Operations", "Storage/Writing/Quotas",
        "Storage/Writing/Requests", "Storage/Writing/Transaction",
      ]),
    // The store: all of the above behind a few functions.
    // Copies of what the store was.
    FolderRow(
      "Storage/Past",
      uses: [
        "Storage/File", "Storage/Log", "Storage/Migration", "Storage/Reading", "Storage/Rows",
        "Storage/Schema", "Storage/Session", "Storage/State", "Storage/Statements",
        "Storage/Writing/Base", "Storage/Writing/Stores",
      ]),
    FolderRow(
      "Storage",
      uses: [
        "Storage/File", "Storage/Log", "Storage/Maintenance", "Storage/Past", "Storage/Reading",
        "Storage/Reading/Threads",
        "Storage/Pins", "Storage/Records", "Storage/Replication",
        "Storage/State", "Storage/Writing/Requests", "Storage/Writing/Writer",
      ]),
  ]

  /// The exceptions, as `file: type`; each is to go.
  static let exceptions: Set<String> = []
}
