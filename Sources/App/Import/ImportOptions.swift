import GatehouseBSON
import GatehouseModel
import GatehouseStorage

/// The file that an import reads, and how it does.
struct ImportOptions: Sendable {
  /// The name of a class.
  let objectType: String
  let path: String
  let format: SequenceFormat
  /// The collection whose documents are read, where the file is an archive of mongodump; nil: it is none.
  let collection: String?
  let policy: Operation.UpdatePolicy
  let mapping: MemberMapping

  /// The name, in a file of rejected objects, of the reason; it is left out when the file is read again.
  static let errorName = "_error"

  init(_ arguments: Arguments) throws {
    objectType = arguments.operands[0]
    path = arguments.operands[1]
    let (name, option) = (arguments.options["--collection"], arguments.options["--format"])
    if option == "archive" || option == nil && (name != nil || path.isNameOfArchive) {
      (format, collection) = (.bson, name ?? objectType)
    } else {
      if let name {
        throw CommandError.invalidValue(
          name: "--collection", text: name, expected: "given for an archive (--format archive)")
      }
      (format, collection) = (try SequenceFormat(option: option, path: path), nil)
    }
    let mode = arguments.options["--mode"] ?? Operation.UpdatePolicy.error.rawValue
    guard let policy = Operation.UpdatePolicy(rawValue: mode) else {
      throw CommandError.invalidValue(name: "--mode", text: mode, expected: "error, modified or all")
    }
    self.policy = policy
    mapping = MemberMapping(
      names: try ImportOptions.names(arguments.options["--map"]),
      ignoresUnknown: try arguments.isSet("--ignore-unknown"), ignored: [ImportOptions.errorName])
  }

  /// Opens the file.
  func open() throws(CommandError) -> RecordFile {
    try RecordFile(path: path, as: format, collection: collection)
  }

  /// Reads `Name=property,Other=property`. A name may have an equals sign in it, a property has none.
  private static func names(_ text: String?) throws(CommandError) -> [String: String] {
    var names: [String: String] = [:]
    for part in (text ?? "").split(separator: ",") {
      guard let equals = part.lastIndex(of: "="), equals > part.startIndex,
        part.index(after: equals) < part.endIndex
      else {
        throw .invalidValue(name: "--map", text: text ?? "", expected: "HEADER=PROPERTY,…")
      }
      names[String(part[..<equals])] = String(part[part.index(after: equals)...])
    }
    return names
  }
}

extension String {
  /// Whether it ends as files of `mongodump --archive` do.
  fileprivate var isNameOfArchive: Bool {
    [".archive", ".archive.gz"].contains(where: lowercased().hasSuffix)
  }
}
