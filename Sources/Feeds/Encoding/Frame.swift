import GatehouseBSON
import GatehouseModel
import GatehouseStorage

/// Frames of `text/event-stream` (WHATWG HTML §9.2.6).
public enum Frame {
  /// Begins a stream: how long, in milliseconds, a client waits before it connects again.
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

  /// Names a multiplexed stream.
  static func stream(_ id: String) -> [UInt8] { control("stream", #"{"stream":"\#(id)"}"#) }

  /// Everything of all subscriptions up to that commit has been told, and nothing beyond.
  static func version(_ version: Int64) -> [UInt8] {
    Array("id: \(version)\n".utf8) + control("version", #"{"version":\#(version)}"#)
  }

  /// The same, of a stream that has had nothing to tell.
  static func heartbeat(version: Int64) -> [UInt8] {
    Array("id: \(version)\n".utf8) + control("heartbeat", #"{"version":\#(version)}"#)
  }

  /// The server ends the stream.
  static func end(_ reason: EndReason) -> [UInt8] {
    control("end", #"{"reason":"\#(reason.rawValue)"}"#)
  }

  /// Appends an event; `content` adds what is told beside the stamp and the subject.
  static func append(
    _ event: EventName, at stamp: EventStamp, of subject: EventSubject? = nil, to bytes: inout [UInt8],
    content: (inout PlainJSONWriter) -> Void = { _ in }
  ) {
    if bytes.isEmpty { bytes.reserveCapacity(512) }
    bytes.append(contentsOf: Name.id)
    stamp.position.append(to: &bytes)
    bytes.append(contentsOf: Name.event)
    bytes.append(contentsOf: event.rawValue.utf8)
    bytes.append(contentsOf: Name.data)
    var json = PlainJSONWriter(appendingTo: bytes)
    bytes = []
    json.beginDocument()
    if let subject { append(subject, to: &json) }
    json.key(Key.version)
    json.int64(stamp.position.log.version)
    if let time = stamp.time {
      json.key(Key.time)
      json.date(time)
    }
    content(&json)
    json.endDocument()
    // Not behind `finish()`: while the writer is there, it shares the bytes, and all of them would be copied.
    json.separator("\n\n")
    bytes = json.finish()
  }

  private static func append(_ subject: EventSubject, to json: inout PlainJSONWriter) {
    json.key(Key.objectType)
    json.string(subject.identity.objectType)
    json.key(Key.id)
    // A document's identifier may be of any type, and says which.
    if subject.isMixed {
      ValueEncoder().write(mixed: subject.identity.id, to: &json)
    } else {
      ValueEncoder().write(subject.identity.id, to: &json)
    }
    if let path = subject.path {
      json.key(Key.path)
      json.string(path)
    }
  }

  /// The names before the fields of an event.
  private enum Name {
    static let id = Array("id: ".utf8)
    static let event = Array("\nevent: ".utf8)
    static let data = Array("\ndata: ".utf8)
  }

  /// The members that events have.
  private enum Key {
    static let objectType = PreparedKey("class")
    static let id = PreparedKey("id")
    static let path = PreparedKey("path")
    static let version = PreparedKey("version")
    static let time = PreparedKey("time")
  }

  private static func control(_ name: String, _ data: String) -> [UInt8] {
    Array("event: \(name)\ndata: \(data)\n\n".utf8)
  }
}

/// The type of an event that tells what is there, or what a change is, as EventSource has it.
enum EventName: String {
  case initial, insert, update, delete, schema
}

/// The object that an event is about, or what a path leads to inside it.
struct EventSubject {
  let identity: Identity
  /// Whether the class has identifiers of any type.
  var isMixed = false
  var path: String?
}

/// Why events cannot say what has happened.
enum ResyncReason: String, Sendable {
  /// The position that was asked for is no longer known.
  case positionExpired = "position_expired"
  /// One change touched too many objects through links.
  case tooMany = "too_many_objects"
  /// The meaning of a change to the stream could not be found out, or not in time.
  case unknown = "unknown_events"
}
