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

  /// What a member of the line is.
  private enum Member {
    case text(String)
    case id(ObjectID)
    case date(Date)
  }

  /// Bytes that the line takes, about.
  var lineSize: Int {
    256 + activity.utf8.count + (data?.utf8.count ?? 0) * 5 / 4 + metadata.pairs.count * 64
  }

  /// Appends what of the event is hashed: all of it but the chain, as one line of plain JSON in bytewise order of the
  /// names, nulls left out. The line of an export without its `chain` is the same text.
  func appendLine(id: ObjectID, chain: String?, to text: inout JSONText) {
    // In bytewise order already.
    var members: [(name: String, value: Member?)] = [
      ("_id", .id(id)), ("activity", .text(activity)), ("chain", chain.map { .text($0) }),
      ("data", data.map { .text($0) }), ("event", event.map { .text($0) }), ("timestamp", .date(timestamp)),
    ]
    if !metadata.pairs.isEmpty {
      members += metadata.pairs.map { ($0.key, .text($0.value)) }
      members.sort { $0.name.compareBytes($1.name) < 0 }
    }
    var separator: StaticString = "{"
    for (name, value) in members {
      guard let value else { continue }
      text.append(separator)
      separator = ","
      text.key(name)
      switch value {
      case .text(let value): text.string(value)
      case .id(let id): text.quoted(id)
      case .date(let date): text.quoted(date)
      }
    }
    text.append("}")
  }
}

extension StoredEvent {
  /// What makes the object, which follows the one whose chain is `previous`.
  func creation(
    id: ObjectID, after previous: String, in trail: TrailClass
  ) -> (operation: Storage.Operation, chain: String) {
    let chain = Chain.link(self, id: id, after: previous)
    var assignments: [ObjectDraft.Assignment] = []
    assignments.reserveCapacity(StoredEvent.properties.count + metadata.pairs.count)
    func assign(_ value: Mixed) {
      assignments.append(ObjectDraft.Assignment(property: assignments.count, value: .value(value)))
    }
    // In the order of `properties`, which come first.
    assign(.objectID(id))
    assign(.date(timestamp))
    assign(.string(activity))
    assign(event.map { .string($0) } ?? .null)
    assign(data.map { .string($0) } ?? .null)
    assign(.string(chain))
    if !metadata.pairs.isEmpty {
      for pair in metadata.pairs {
        guard let property = trail.properties[pair.key] else { continue }
        assignments.append(ObjectDraft.Assignment(property: property, value: .value(.string(pair.value))))
      }
      assignments.sort { $0.property < $1.property }
    }
    let draft = ObjectDraft(assignments: assignments)
    return (.create(objectType: StoredEvent.className, draft: draft, policy: .error), chain)
  }
}
