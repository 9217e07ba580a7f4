import GatehouseModel

// As the log keeps them: a dictionary of the properties, each with a list of documents that have the members which
// apply of `key`, `index`, `from`, `to`, `before` and `after`.
extension CollectionChange {
  /// The bytes that stand for the changes; nil where there are none.
  static func encode(_ changes: [CollectionChange]) -> [UInt8]? {
    guard !changes.isEmpty else { return nil }
    let entries = changes.map {
      Mixed.Entry(key: $0.property, value: .list($0.elements.map(\.mixed)))
    }
    var bytes: [UInt8] = []
    MixedCoding.append(.dictionary(entries), to: &bytes)
    return bytes
  }

  /// Reads what ``encode(_:)`` wrote; nil if the bytes are not ours.
  static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> [CollectionChange]? {
    guard case .dictionary(let entries)? = MixedCoding.decode(bytes) else { return nil }
    var changes: [CollectionChange] = []
    for entry in entries {
      guard case .list(let values) = entry.value else { return nil }
      let elements = values.compactMap(ElementChange.init)
      guard elements.count == values.count else { return nil }
      changes.append(CollectionChange(property: entry.key, elements: elements))
    }
    return changes
  }
}

extension ElementChange {
  fileprivate var mixed: Mixed {
    var entries: [Mixed.Entry] = []
    switch place {
    case .key(let key): entries.append(Mixed.Entry(key: "key", value: .string(key)))
    case .index(let index): entries.append(Mixed.Entry(key: "index", value: .int(Int64(index))))
    case .move(let from, let to):
      entries.append(Mixed.Entry(key: "from", value: .int(Int64(from))))
      entries.append(Mixed.Entry(key: "to", value: .int(Int64(to))))
    case .member: break
    }
    if let before { entries.append(Mixed.Entry(key: "before", value: before)) }
    if let after { entries.append(Mixed.Entry(key: "after", value: after)) }
    return .dictionary(entries)
  }

  fileprivate init?(_ mixed: Mixed) {
    guard case .dictionary(let entries) = mixed else { return nil }
    let member = { (name: String) in entries.first { $0.key == name }?.value }
    let place: Place
    if case .string(let key)? = member("key") {
      place = .key(key)
    } else if case .int(let index)? = member("index") {
      guard index >= 0 else { return nil }
      place = .index(Int(index))
    } else if case .int(let from)? = member("from"), case .int(let to)? = member("to") {
      guard from >= 0, to >= 0 else { return nil }
      place = .move(from: Int(from), to: Int(to))
    } else {
      place = .member
    }
    self.init(place, before: member("before"), after: member("after"))
  }
}
