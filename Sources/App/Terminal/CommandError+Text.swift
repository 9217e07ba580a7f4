import GatehouseAPI
import GatehouseAccess
import GatehouseBSON

extension CommandError {
  /// The sentence for the one who typed the command.
  var text: String {
    switch self {
    case .unknownCommand(let name):
      "there is no command '\(name)'; did you mean '\(EditDistance.nearest(to: name, among: CommandTable.names) ?? "help")'?"
    case .unknownOption(let name, let nearest): "there is no option \(name) here\(meaning(nearest))"
    case .missingValue(let option, let value): "\(option) needs a value: \(option) \(value)"
    case .missingOperand(let operand, let command): "'\(command)' needs \(operand)"
    case .surplusOperand(let operand, let command): "'\(command)' does not take '\(operand)'"
    case .missingOption(let option, let other): "\(other) goes with \(option)"
    case .unknownTopic(let topic): "there is no help on '\(topic)'"
    case .unknownSetting(let name, let source, let nearest):
      "there is no setting '\(name)' (in \(source))\(meaning(nearest))"
    case .invalidValue(let name, let text, let expected): "\(name) must be \(expected), not '\(text)'"
    case .remoteWithoutAccessControl(let address):
      """
      \(address) can be reached from other machines, and there is no key: whoever reaches it can read, change and \
      delete everything. Set GATEHOUSE_ADMIN_KEY, or make a key by 'gatehouse key create --role admin'.
      """
    case .remoteDevelopment(let address):
      "\(address) can be reached from other machines; --dev is for this one: listen on 127.0.0.1 or a Unix-domain socket."
    case .file(let path, let action, let code):
      "cannot \(action.rawValue) \(path == "-" ? action.standardStream : path): \(SystemError.text(code))"
    case .json(let path, let line, let column, let error):
      "\(path == "-" ? "standard input" : path), line \(line), column \(column): \(ErrorExplanation(error).detail)"
    case .record(let path, let unit, let number, let reason):
      "\(path == "-" ? "standard input" : path), \(unit.rawValue) \(number): \(reason)"
    case .noApp(let path): "\(path) has no files of an app"
    case .differs(let path):
      "cannot write \(path): File exists, with other content; move it away, or import into another directory"
    case .archive(let path, let failure):
      "\(path == "-" ? "standard input" : path) \(failure.text)"
    case .partlyImported(let reason, let objects, let unit, let number):
      """
      \(reason)
        \(objects) \(objects == 1 ? "object" : "objects") had been imported\
      \(number.map { ", up to \(unit.rawValue) \($0)," } ?? "") and \(objects == 1 ? "stays" : "stay")\
      \(number == nil ? "" : "; nothing after that \(unit.rawValue) was").
      """
    case .unknownClass(let name, let nearest): "there is no class '\(name)'\(meaning(nearest))"
    case .unknownKey(let id): "there is no key '\(id)'"
    case .providers(let path, let error): "\(path): \(error.text)"
    case .roles(let path, let error): "\(path): \(ErrorExplanation(error).entries.joined(separator: " "))"
    case .configuration(let path, let error):
      "\(path): \(error.path.isEmpty ? "" : "“\(error.place)”: ")\(error.text)"
    case .missingProgram(let name): "the program \(name) is needed for that, and is not installed"
    case .unhealthy(let address): "nothing healthy answers at \(address)"
    case .backup(let path, let failure): "\(path) \(failure.text)"
    case .notEmpty(let directory):
      "\(directory) is not empty: a backup is restored into a new directory, or an empty one. Move what is there away first."
    case .brokenTrail(let number, let id, let reason):
      "the trail breaks at event \(number)\(id.map { " (_id \($0))" } ?? ""): \(reason)"
    case .damaged(let directory, let violations): "the store in \(directory) has \(violations) faults"
    }
  }

  /// Where to read on, where that helps.
  var hint: String? {
    switch self {
    case .unknownCommand(let name):
      "Try: gatehouse help" + (name.split(separator: " ").dropLast().first.map { " \($0)" } ?? "")
    case .unknownTopic: "Try: gatehouse help"
    case .missingOperand(_, let command), .surplusOperand(_, let command): "Try: gatehouse help \(command)"
    case .unknownSetting: "Try: gatehouse help settings"
    default: nil
    }
  }

  private func meaning(_ nearest: String?) -> String {
    nearest.map { "; did you mean '\($0)'?" } ?? ""
  }
}

extension DumpArchive.Failure {
  fileprivate var text: String {
    switch self {
    case .notAnArchive: "is no archive of mongodump"
    case .malformed(let offset): "is no archive of mongodump from byte \(offset) on"
    case .cut: "ends in the middle of the archive"
    case .noCollection(let name, let known):
      "has no collection '\(name)'; there is \(known.isEmpty ? "none" : known.joined(separator: ", "))"
    }
  }
}

extension ProvidersError {
  fileprivate var text: String {
    switch self {
    case .member(let name): "'\(name)' is missing, or of the wrong type"
    case .unknownMember(let path): "there is no member '\(path.joined(separator: "."))'"
    case .malformedURL(let name): "'\(name)' must be a URL that begins with https:// or http://"
    case .missingAudience:
      "custom-token.config.audience names nobody: say for whom tokens must be, or \"*\" to take those for anybody"
    case .unknownAlgorithm: "signingAlgorithm must be HS256, RS256 or ES256"
    case .unknownSecret(let name): "there is no file secrets/\(name)"
    case .key(let name, let error): "secrets/\(name) holds no public key of the algorithm in PEM (\(error))"
    case .shortSecret(let name): "secrets/\(name) has fewer than 32 bytes"
    }
  }
}

extension CommandError.FileAction {
  fileprivate var standardStream: String {
    switch self {
    case .read: "standard input"
    case .write: "standard output"
    }
  }
}
