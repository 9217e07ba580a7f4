import GatehouseBSON
import GatehouseModel
import GatehouseStorage

/// The file that an import reads, and how it does.
struct ImportOptions: Sendable {
  /// The name of a class.
  let objectType: String
  let path: String
  let format: SequenceFormat
  let policy: Operation.UpdatePolicy
  let mapping: MemberMapping

  /// The name, in a file of rejected objects, of the reason; it is left out when the file is read again.
  static let errorName = "_error"

  init(_ arguments: Arguments) throws {
    objectType = arguments.operands[0]
    path = arguments.operands[1]
    format = try SequenceFormat(option: arguments.options["--format"], path: path)
    let mode = arguments.options["--mode"] ?? Operation.UpdatePolicy.error.rawValue
    guard let policy = Operation.UpdatePolicy(rawValue: mode) else {
      throw CommandError.invalidValue(name: "--mode", text: mode, expected: "error, modified or all")
    }
    self.policy = policy
    mapping = MemberMapping(
      names: try ImportOptions.names(arguments.options["--map"]),
      ignoresUnknown: try arguments.isSet("--ignore-unknown"), ignored: [ImportOptions.errorName])
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
