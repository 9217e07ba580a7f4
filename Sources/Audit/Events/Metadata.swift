import GatehouseModel

/// Keys and values stored with each event beside its own properties: who, from where, by which program.
public struct Metadata: Hashable, Sendable {
  /// One key and its value.
  public struct Pair: Hashable, Sendable {
    public let key: String
    public let value: String
  }

  public static let none = Metadata(validated: [])

  /// The key that marks a client's own events; its value is `true`, and recorded events lack it.
  public static let customKey = "custom"
  /// The key of the caller: always in clients' own events, in others where the settings ask for it.
  public static let callerKey = "caller"

  /// Each key once, in bytewise order.
  public let pairs: [Pair]

  /// The most keys that clients may have made properties of the class of events, in all.
  static let mostKeys = 128

  /// Throws ``AuditError/invalidMetadataKey(_:_:)`` or ``AuditError/tooManyMetadataKeys(limit:)``.
  public init(_ values: [(key: String, value: String)]) throws(AuditError) {
    guard values.count <= Metadata.mostKeys else { throw .tooManyMetadataKeys(limit: Metadata.mostKeys) }
    if values.contains(where: { $0.key == Metadata.customKey }) {
      throw .invalidMetadataKey(Metadata.customKey, .reserved)
    }
    try self.init(stored: values)
  }

  /// The same for what is stored already. Throws ``AuditError/invalidMetadataKey(_:_:)``.
  init(stored values: [(key: String, value: String)]) throws(AuditError) {
    var pairs: [Pair] = []
    for (key, value) in values {
      if let fault = Metadata.fault(of: key) { throw .invalidMetadataKey(key, fault) }
      guard !pairs.contains(where: { $0.key == key }) else { throw .invalidMetadataKey(key, .duplicate) }
      pairs.append(Pair(key: key, value: value))
    }
    self.init(validated: pairs)
  }

  private init(validated pairs: [Pair]) {
    self.pairs = pairs.sorted { $0.key.compareBytes($1.key) < 0 }
    precondition(
      zip(self.pairs, self.pairs.dropFirst()).allSatisfy { $0.key.compareBytes($1.key) < 0 },
      "each key is there once, in bytewise order")
  }

  /// Returns the metadata of an event that `caller` stores themselves.
  static func ofCustomEvent(by caller: String) -> Metadata {
    Metadata(validated: [Pair(key: callerKey, value: caller), Pair(key: customKey, value: "true")])
  }

  private static func fault(of key: String) -> AuditError.KeyRule? {
    if !(1...63).contains(key.utf8.count) { return .length }
    if StoredEvent.properties.contains(where: { $0.name == key }) { return .reserved }
    // The data model's rules for names of properties.
    let type = ObjectType(
      name: StoredEvent.className, properties: [Property(name: key, type: .one(.string, optional: true))])
    return (try? Schema(validating: [type])) == nil ? .name : nil
  }

  /// These and others, which come first where a key is in both.
  public func adding(_ others: Metadata) -> Metadata {
    if others.pairs.isEmpty { return self }
    let kept = pairs.filter { pair in !others.pairs.contains { $0.key == pair.key } }
    return Metadata(validated: kept + others.pairs)
  }

  var keys: [String] { pairs.map(\.key) }
}
