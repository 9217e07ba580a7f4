import GatehouseBSON
import GatehouseModel
import GatehouseStorage

/// Frames of `text/event-stream` (WHATWG HTML §9.2.6).
public enum Frame {
  /// What a stream begins with: how long, in milliseconds, a client waits before it connects again.
  public static func opening(retry: Int) -> [UInt8] { Array("retry: \(retry)\n\n".utf8) }

  /// Sets the client's `Last-Event-ID` without an event: everything up to there has been told. Control events have
  /// no `id`, and a client that lost its connection before the first event would not know where it was.
  static func position(_ position: LogPosition) -> [UInt8] { Array("id: \(position.text)\n\n".utf8) }

  /// From here on nothing is missed.
  static func ready(_ position: LogPosition) -> [UInt8] {
    control("ready", #"{"position":"\#(position.text)"}"#)
  }

  /// The client has to read anew.
  static func resync(_ position: LogPosition, _ reason: ResyncReason = .positionExpired) -> [UInt8] {
    control("resync", #"{"reason":"\#(reason.rawValue)","position":"\#(position.text)"}"#)
  }

  static let heartbeat = control("heartbeat", "{}")

  /// The server ends the stream.
  static func end(_ reason: EndReason) -> [UInt8] {
    control("end", #"{"reason":"\#(reason.rawValue)"}"#)
  }

  /// Appends an event about an object, or about what a path leads to inside it; `content` adds what is told of it.
  static func append(
    _ event: String, _ position: EventPosition, of identity: Identity, path: String? = nil,
    to bytes: inout [UInt8], _ content: (inout PlainJSONWriter) -> Void
  ) {
    if bytes.isEmpty { bytes.reserveCapacity(512) }
    bytes.append(contentsOf: Name.id)
    position.append(to: &bytes)
    bytes.append(contentsOf: Name.event)
    bytes.append(contentsOf: event.utf8)
    bytes.append(contentsOf: Name.data)
    var json = PlainJSONWriter(appendingTo: bytes)
    bytes = []
    json.beginDocument()
    json.key(Key.objectType)
    json.string(identity.objectType)
    json.key(Key.id)
    ValueEncoder().write(identity.id, to: &json)
    if let path {
      json.key("path")
      json.string(path)
    }
    json.key(Key.version)
    json.int64(position.log.version)
    content(&json)
    json.endDocument()
    // Not behind `finish()`: while the writer is there, it shares the bytes, and all of them would be copied.
    json.separator("\n\n")
    bytes = json.finish()
  }

  /// What stands before the fields of an event.
  private enum Name {
    static let id = Array("id: ".utf8)
    static let event = Array("\nevent: ".utf8)
    static let data = Array("\ndata: ".utf8)
  }

  /// What each event says.
  private enum Key {
    static let objectType = PreparedKey("class")
    static let id = PreparedKey("id")
    static let version = PreparedKey("version")
  }

  private static func control(_ name: String, _ data: String) -> [UInt8] {
    Array("event: \(name)\ndata: \(data)\n\n".utf8)
  }
}

/// Why events cannot say what has happened.
enum ResyncReason: String, Sendable {
  /// The position that was asked for is no longer known.
  case positionExpired = "position_expired"
  /// One change touched too many objects through links.
  case tooMany = "too_many_objects"
  /// What a change means to the stream could not be found out, or not in time.
  case unknown = "unknown_events"
}
