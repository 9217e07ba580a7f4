import GatehouseBSON
import GatehouseStorage

/// The part of a trigger that outlasts the process: how far it has come, and why it goes no further.
struct TriggerState: Equatable {
  /// The last change, or the whole of what, it has been called for.
  var position: LogPosition?
  /// The last time of its schedule that it has been called at, or looked for.
  var time: Date?
  /// Why it is suspended; nil: it is not.
  var suspension: String?
  /// The change that it has failed for, where that is why it is suspended.
  var failed: LogPosition?
  /// Whether it was disabled when it was seen last.
  var wasDisabled = false

  private static let kind = "trigger"

  static func name(of trigger: String) -> Record.Name { Record.Name(kind, trigger) }

  init() {}

  /// Reads what ``bytes()`` wrote; nil: it is nothing of the kind.
  init?(_ bytes: [UInt8]) {
    guard let document = try? Document(bson: bytes, limits: Limits(depth: 4)) else { return nil }
    if case .string(let text)? = document["position"] { position = LogPosition(text: text) }
    if case .date(let time)? = document["time"] { self.time = time }
    if case .string(let text)? = document["suspension"] { suspension = text }
    if case .string(let text)? = document["failed"] { failed = LogPosition(text: text) }
    wasDisabled = document["disabled"] == .bool(true)
  }

  func bytes() throws -> [UInt8] {
    var document = Document()
    if let position { document.append("position", .string(position.text)) }
    if let time { document.append("time", .date(time)) }
    if let suspension { document.append("suspension", .string(suspension)) }
    if let failed { document.append("failed", .string(failed.text)) }
    if wasDisabled { document.append("disabled", .bool(true)) }
    return try document.bson()
  }
}
