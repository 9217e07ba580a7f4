public import BSON
import Crypto
import Model
import Storage

/// One object of class `AuditEvent`, before it has its identifier and its place in the chain.
public struct StoredEvent: Hashable, Sendable {
  /// What `event` says of events that are recorded by themselves.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case read, write
    /// A request that access control refused.
    case refused
    /// Credentials that are none.
    case authentication
    /// The call of a function.
    case function
    /// A change of the schema.
    case schema
    /// Old events have been moved to a file.
    case retention
  }

  /// When it happened, not when it was stored.
  public var timestamp: Date
  public var activity: String
  public var event: String?
  public var data: String?
  /// Values by key.
  public var metadata: Metadata

  public init(
    timestamp: Date, activity: String, event: String?, data: String?, metadata: Metadata = .none
  ) {
    self.timestamp = timestamp
    self.activity = activity
    self.event = event
    self.data = data
    self.metadata = metadata
  }
}

extension StoredEvent {
  /// The class of stored events.
  public static let className = "AuditEvent"

  /// The properties that every event has; metadata keys are further ones.
  static let properties = [
    Property(name: "_id", type: .one(.objectID, optional: false)),
    Property(name: "timestamp", type: .one(.date, optional: false)),
    Property(name: "activity", type: .one(.string, optional: false)),
    Property(name: "event", type: .one(.string, optional: true)),
    Property(name: "data", type: .one(.string, optional: true)),
    Property(name: "chain", type: .one(.string, optional: false)),
  ]

  /// The class with a property for each of the keys.
  static func objectType(metadata keys: [String]) -> ObjectType {
    let columns = keys.map { Property(name: $0, type: .one(.string, optional: true)) }
    return ObjectType(name: className, properties: properties + columns, primaryKey: "_id")
  }

  /// What of the event is hashed: all of it but the chain, as one line of plain JSON in bytewise order of the names,
  /// nulls left out. The line of an export without its `chain` is the same text.
  func line(id: ObjectID, chain: String? = nil) -> [UInt8] {
    // In bytewise order already.
    var members: [(name: String, text: String?)] = [
      ("_id", id.description), ("activity", activity), ("chain", chain), ("data", data), ("event", event),
      ("timestamp", timestamp.description),
    ]
    if !metadata.pairs.isEmpty {
      members += metadata.pairs.map { ($0.key, $0.value) }
      members.sort { $0.name.compareBytes($1.name) < 0 }
    }
    var text = JSONText()
    text.bytes.reserveCapacity(256 + (data?.utf8.count ?? 0) * 5 / 4)
    for (name, member) in members {
      guard let member else { continue }
      text.append(text.bytes.isEmpty ? "{" : ",")
      text.key(name)
      text.string(member)
    }
    text.append("}")
    return text.bytes
  }

  /// The creation of the object, which follows the one whose chain is `previous`.
  func creation(id: ObjectID, after previous: String, in type: ObjectType) -> (
    Storage.Operation, chain: String
  ) {
    let chain = Chain.link(line(id: id), after: previous)
    // In the order of `properties`, which come first.
    let values: [Mixed] = [
      .objectID(id), .date(timestamp), .string(activity), event.map { .string($0) } ?? .null,
      data.map { .string($0) } ?? .null, .string(chain),
    ]
    var assignments = values.enumerated().map { property, value in
      ObjectDraft.Assignment(property: property, value: .value(value))
    }
    for pair in metadata.pairs {
      guard let property = type.index(of: pair.key) else { continue }
      assignments.append(ObjectDraft.Assignment(property: property, value: .value(.string(pair.value))))
    }
    if !metadata.pairs.isEmpty { assignments.sort { $0.property < $1.property } }
    let draft = ObjectDraft(assignments: assignments)
    return (.create(objectType: type.name, draft: draft, policy: .error), chain)
  }
}
