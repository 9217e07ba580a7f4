import GatehouseAPI
import GatehouseBSON
import GatehouseStorage
import Glibc

/// The file of settings of an app, `gatehouse.json` of its data directory: those that are others than the server's.
struct AppFile: Sendable {
  private let path: String

  /// The settings that an app may have others of.
  static let settings: Set<String> = [
    "requireIfMatch", "durability", "dataSource", "adminKey", "cors.origins", "cors.credentials",
    "cors.maxAgeSeconds", "limits.requestsPerSecond", "limits.requestBurst", "limits.querySeconds",
    "limits.writeSeconds", "limits.objectBytes", "limits.bulkObjects", "limits.queuedQueries",
    "limits.queuedWrites", "log.days", "log.megabytes", "events.subscribersPerAddress", "events.queueBytes",
    "events.lifetimeSeconds", "functions.workers", "functions.queue", "functions.callsPerWorker",
    "functions.seconds", "functions.megabytes", "functions.resultBytes", "functions.environment",
    "functions.log", "users.anonymous", "users.newPerAddress", "users.anonymousDays", "audit", "audit.always",
    "audit.events", "audit.details", "audit.days", "audit.scopeSeconds", "audit.eventBytes",
    "audit.eventsPerMinute", "schema.apply", "mail.from", "slowQueryMilliseconds",
  ]

  init(in directory: String) {
    path = DataFile.settings.path(in: directory)
  }

  /// The names and values; none where there is no file. Throws ``CommandError``.
  func contents() throws -> Document {
    guard access(path, F_OK) == 0 else { return Document() }
    guard case .document(let document) = try JSONFile.value(at: path) else {
      throw CommandError.configuration(
        path: path, ConfigurationError(at: [String](), "Here an object should stand."))
    }
    return document
  }

  /// Returns the settings of an app: the file's, and for the rest those of its server. Throws ``CommandError``.
  func settings(over base: Settings) throws -> Settings {
    guard let file = try ConfigurationFile(named: access(path, F_OK) == 0 ? path : nil, orOneOf: []) else {
      return base
    }
    var settings = base
    for name in file.names where name != Settings.schemaMember && !AppFile.settings.contains(name) {
      throw CommandError.unknownSetting(name, source: path, nearest: nil)
    }
    try settings.apply(file)
    return settings
  }

  /// Returns the contents with some other values; those that are null go back to what the server has. Throws
  /// ``GatehouseAPI/AppError`` where one is none, or they do not go together, and ``CommandError``.
  func contents(with changes: Document, over base: Settings) throws -> Document {
    var document = try contents()
    var trial = try settings(over: base)
    for element in changes.elements {
      guard AppFile.settings.contains(element.key),
        let setting = Settings.table.first(where: { $0.name == element.key })
      else { throw AppError.unknownSetting(element.key) }
      document.elements.removeAll { $0.key == element.key }
      if element.value == .null {
        _ = setting.assign(&trial, setting.text(base))
        continue
      }
      guard let text = element.value.settingText, setting.assign(&trial, text) else {
        throw AppError.invalidSetting(element.key, expected: setting.expectation)
      }
      document.append(element.key, .string(text))
    }
    do { try trial.requireAgreement() } catch CommandError.invalidValue(let name, _, let expected) {
      throw AppError.invalidSetting(name, expected: expected)
    }
    return document
  }

  /// Returns the contents as they may be shown: secrets are stars.
  func shownContents() throws -> Document {
    var document = try contents()
    for index in document.elements.indices
    where Settings.table.contains(where: { $0.isSecret && $0.name == document.elements[index].key }) {
      document.elements[index].value = .string("***")
    }
    return document
  }

  /// Takes the place of the contents, whole.
  func write(_ document: Document) throws(CommandError) {
    try JSONFile.write(.document(document), to: path)
  }
}

extension Value {
  /// The text of a value of a setting; nil: no setting has such values.
  fileprivate var settingText: String? {
    switch self {
    case .string(let text): text
    case .int32(let number): String(number)
    case .int64(let number): String(number)
    case .bool(let value): String(value)
    default: nil
    }
  }
}
