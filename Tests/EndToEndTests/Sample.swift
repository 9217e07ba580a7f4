import FoundationEssentials
import GatehouseTestSupport
import Testing

/// The sample that comes with the package, and a class that a few lines fill.
enum Sample {
  static let folder = "\(Machine.root)/Config/sample"

  static func lines(of file: String) throws -> [String] {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// A class with a link to itself.
  static let nodeSchema = """
    [{"name": "Node", "primaryKey": "_id", "properties": {"_id": "int", "label": "string", "next": "Node?"}}]
    """

  /// Nodes `from ..< to`, each linking to the one before it.
  static func nodes(_ range: Range<Int>) -> String {
    range.map { #"{"_id":\#($0),"label":"node \#($0)","next":\#($0 == 0 ? "null" : String($0 - 1))}"# + "\n" }
      .joined()
  }

  /// A folder with a store of nodes, empty.
  static func nodeStore() throws -> Folder {
    let folder = try Folder()
    let schema = try folder.write(nodeSchema, to: "schema.json")
    let applied = try Gatehouse.run(["schema", "apply", schema, "--data", folder.data], in: folder)
    try #require(applied.status == 0, "\(applied.error)")
    return folder
  }

  /// The keys of all nodes, sorted.
  static func nodeKeys(_ folder: Folder) throws -> [Int64] {
    let exported = try Gatehouse.run(["export", "Node", "--data", folder.data], in: folder)
    try #require(exported.status == 0, "\(exported.error)")
    return try exported.lines.map { line in
      guard case .int(let key) = try JSON(line)["_id"] else { throw SystemError(call: line, code: 0) }
      return key
    }.sorted()
  }
}
