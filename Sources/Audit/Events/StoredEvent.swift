public import GatehouseBSON
import GatehouseCrypto
import GatehouseModel
import GatehouseStorage

/// One object of class `AuditEvent`, before it has its identifier and its place in the chain.
public struct StoredEvent: Hashable, Sendable {
  /// The values of `event` for the events that the recorder makes itself.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case read, write
    /// A request that access control refused.
    case refused
    /// A request with invalid credentials.
    case authentication
    /// The call of a function.
    case function
    /// A change of the schema.
    case schema
    /// An app, or a group of its classes, is made, changed or removed.
    case administration
    /// Old events have been moved to a file.
    case retention

    /// Whether a reader of the trail could take the text for one of the kinds.
    static func isReserved(_ text: String) -> Bool {
      let word = text.filter { !$0.isWhitespace }.lowercased()
      return allCases.contains { $0.rawValue == word }
    }
  }

  /// The time at which it happened, not at which it was stored.
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

  /// The size of the line in bytes, about.
  var lineSize: Int {
    640 + activity.utf8.count + (data?.utf8.count ?? 0) * 5 / 4 + metadata.pairs.count * 64
  }

  /// Appends the part of the event that is hashed: all of it but the chain, as one line of plain JSON in bytewise
  /// order of the names, nulls left out. The line of an export without its `chain` is the same text.
  func appendLine(id: ObjectID, chain: String?, to text: inout JSONText) {
    var others = metadata.pairs[...]
    // Behind each member a comma, in bytewise order.
    text.append("{")
    text.members(&others, before: "_id")
    text.append(#""_id":"#)
    text.quoted(id)
    text.append(",")
    text.members(&others, before: "activity")
    text.member(#""activity":"#, activity)
    text.members(&others, before: "chain")
    if let chain { text.member(#""chain":"#, chain) }
    text.members(&others, before: "data")
    if let data { text.member(#""data":"#, data) }
    text.members(&others, before: "event")
    if let event { text.member(#""event":"#, event) }
    text.members(&others, before: "timestamp")
    text.append(#""timestamp":"#)
    text.quoted(timestamp)
    text.append(",")
    text.members(&others, before: nil)
    text.bytes[text.bytes.count - 1] = UInt8(ascii: "}")
  }
}

extension JSONText {
  /// Appends the pairs whose keys come before a name, or all of them, and removes them from `pairs`.
  fileprivate mutating func members(_ pairs: inout ArraySlice<Metadata.Pair>, before name: String?) {
    while let pair = pairs.first, name.map({ pair.key.compareBytes($0) < 0 }) ?? true {
      key(pair.key)
      string(pair.value)
      append(",")
      pairs.removeFirst()
    }
  }

  /// Appends a member and a comma.
  fileprivate mutating func member(_ key: StaticString, _ value: String) {
    append(key)
    string(value)
    append(",")
  }
}

extension StoredEvent {
  /// Returns the operation that creates the object, and its chain; the object follows the one whose chain is
  /// `previous`.
  func creation(
    id: ObjectID, after previous: String, in trail: TrailClass
  ) -> (operation: GatehouseStorage.Operation, chain: String) {
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
    precondition(
      assignments.count == StoredEvent.properties.count + metadata.pairs.count,
      "an event is stored with all of its metadata")
    let draft = ObjectDraft(assignments: assignments)
    return (.create(objectType: StoredEvent.className, draft: draft, policy: .error), chain)
  }
}
