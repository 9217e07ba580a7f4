import GatehouseAccess
import GatehouseBSON

/// The reason why a command could not be understood or done.
enum CommandError: Error, Hashable, Sendable {
  // Errors of the command line and the settings.
  case unknownCommand(String)
  case unknownOption(String, nearest: String?)
  case missingValue(option: String, value: String)
  case missingOperand(String, command: String)
  case surplusOperand(String, command: String)
  case missingOption(String, neededBy: String)
  case unknownTopic(String)
  case unknownSetting(String, source: String, nearest: String?)
  case invalidValue(name: String, text: String, expected: String)
  case remoteWithoutAccessControl(address: String)
  /// `--dev` is for this machine.
  case remoteDevelopment(address: String)

  // Errors of the work itself.
  /// `code` is the system's error number.
  case file(path: String, action: FileAction, code: Int32)
  /// The file is no JSON text from that line and column on, counted from 1.
  case json(path: String, line: Int, column: Int, error: JSONError)
  /// The rule that a line of a file broke, or a document.
  case record(path: String, unit: RecordUnit, number: Int, reason: String)
  /// There are no files of an app.
  case noApp(path: String)
  /// The file is there, with other content.
  case differs(path: String)
  /// The file is no archive of mongodump, or lacks the collection.
  case archive(path: String, DumpArchive.Failure)
  /// An import failed after `objects` objects had been committed: all up to that line or document; nil: some before the last may
  /// be missing.
  case partlyImported(reason: String, objects: Int, unit: RecordUnit, number: Int?)
  case unknownClass(String, nearest: String?)
  case unknownKey(String)
  /// The file of providers breaks a rule.
  case providers(path: String, ProvidersError)
  /// The file of roles breaks a rule.
  case roles(path: String, PolicyError)
  /// A file of the app breaks a rule.
  case configuration(path: String, ConfigurationError)
  case unhealthy(address: String)
  /// A program of the system is needed, and not there.
  case missingProgram(String)
  /// The backup, or a file of it, cannot be restored.
  case backup(String, BackupFailure)
  /// A backup would be mixed with what is there.
  case notEmpty(String)
  /// The store's file breaks so many rules.
  case damaged(directory: String, violations: Int)
  /// The first recorded event that is not as it was stored: its number from 0, its `_id` where that is known, and the
  /// reason.
  case brokenTrail(number: Int64, id: String?, reason: String)

  /// The operation on a file that failed.
  enum FileAction: String, Sendable {
    case read, write
  }

  /// The error of a file, with the line where it is.
  static func of(_ error: ConfigurationError, in path: String) -> CommandError {
    let line = (try? InputFile.contents(of: path)).flatMap { JSONPlace.line(of: error.path, in: $0) }
    return .configuration(path: line.map { "\(path), line \($0)" } ?? path, error)
  }

  /// Whether the command line or the configuration is at fault, before anything was done.
  var isUsage: Bool {
    switch self {
    case .unknownCommand, .unknownOption, .missingValue, .missingOperand, .surplusOperand, .missingOption,
      .unknownTopic, .unknownSetting, .invalidValue, .remoteWithoutAccessControl, .remoteDevelopment:
      true
    case .file, .json, .record, .archive, .partlyImported, .unknownClass, .unknownKey, .providers, .roles,
      .missingProgram,
      .configuration,
      .unhealthy,
      .damaged, .backup, .notEmpty, .brokenTrail, .noApp, .differs:
      false
    }
  }
}
