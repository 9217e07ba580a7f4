import GatehouseAPI

/// Why migrations are not applied.
enum MigrationError: Error {
  // The files beside each other.
  case illegalName(String)
  case repeatedNumber(String, String)
  case unknownNumber(Int)

  // The files beside what was applied.
  /// Was applied, and has no file any more.
  case missing(String)
  /// Was applied as another file.
  case changed(String)
  /// Is new, and comes before one that was applied.
  case late(String, applied: String)
  /// All up to that number, and more, were applied.
  case past(Int, applied: String)

  // One file. A path of names leads to the member at fault.
  case wrongMember([String], expected: String)
  case unknownMember([String])
  case droppedAndNamed(String)
  case unknownProperty(objectType: String, property: String, nearest: String?)
  /// Has no single value that an expression could give.
  case notComputable(objectType: String, property: String)
  /// The folder has no such file, or one that cannot be a function's.
  case unknownFunction(String)
  /// The file, the line where that is known, and what is wrong.
  indirect case file(String, line: Int?, any Error)
}

extension MigrationError {
  /// The sentence for the one who typed the command.
  var text: String {
    switch self {
    case .illegalName(let name):
      "\(name): migrations are called by a number and a name, such as 0001_prices.json"
    case .repeatedNumber(let first, let second): "\(first) and \(second) have the same number"
    case .unknownNumber(let number): "there is no migration \(number)"
    case .missing(let name): "\(name) has been applied, and its file is not there any more"
    case .changed(let name):
      "\(name) has been applied, and its file is another one now: restore it, and put what is new into a file of its own"
    case .late(let name, let applied):
      "\(name) has not been applied, though \(applied) behind it has: give it a higher number"
    case .past(let number, let applied):
      "\(applied) has been applied: there is no way back to \(number) but a backup"
    case .wrongMember(let path, let expected): "'\(path.joined(separator: "."))' must be \(expected)"
    case .unknownMember(let path): "there is no member '\(path.joined(separator: "."))'"
    case .droppedAndNamed(let name): "the class '\(name)' cannot be dropped and be in the schema"
    case .unknownProperty(let type, let name, let nearest):
      "'\(type)' has no property '\(name)'" + (nearest.map { "; did you mean '\($0)'?" } ?? "")
    case .notComputable(let type, let name):
      "'\(type).\(name)' cannot be set: no expression gives maps, embedded objects, links that lead here and primary keys"
    case .unknownFunction(let file):
      "there is no function \(file) beside it; its name may have letters, digits, '_' and '-' before .js"
    case .file(let path, let line, let error):
      "\(path)\(line.map { ", line \($0)" } ?? ""): \(FailureText.of(error))"
    }
  }
}
