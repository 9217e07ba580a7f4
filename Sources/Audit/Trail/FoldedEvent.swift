import GatehouseBSON

/// One event of a trail, still without text.
struct FoldedEvent {
  enum Content {
    case objects([ObjectReference], isQuery: Bool)
    case write(start: Int, count: Int)
  }

  let objectType: Int32
  let version: Int64
  private(set) var content: Content
  /// The time of its first occurrence.
  let time: Date
  /// The index of its first occurrence.
  let index: Int

  /// Makes the event that begins with the occurrence; nil if it begins none.
  init?(_ occurrence: AuditOccurrence, at index: Int) {
    self.index = index
    switch occurrence {
    case .link: return nil
    case .write(let start, let count, let time):
      (objectType, version, self.time) = (-1, -1, time)
      content = .write(start: start, count: count)
    case .query(let type, let version, let objects, let time):
      if objects.isEmpty { return nil }
      (objectType, self.version, self.time) = (type, version, time)
      content = .objects(objects, isQuery: true)
    case .object(let type, let version, let object, let time):
      (objectType, self.version, self.time) = (type, version, time)
      content = .objects([object], isQuery: false)
    }
  }

  /// Adds the next occurrence if it belongs to the event; false if it does not.
  mutating func absorb(_ occurrence: AuditOccurrence) -> Bool {
    switch occurrence {
    case .link: return true
    case .write: return false
    case .query(let type, let version, let objects, _):
      return objects.isEmpty || join(objects, of: type, at: version)
    case .object(let type, let version, let object, _):
      return isRepeated(by: object, of: type, at: version) || join([object], of: type, at: version)
    }
  }

  /// Adds the objects if the event is a query of the same class in the same state.
  private mutating func join(_ objects: [ObjectReference], of type: Int32, at version: Int64) -> Bool {
    guard objectType == type, self.version == version, case .objects(var found, true) = content else {
      return false
    }
    // Taken out meanwhile, so that the array is not copied.
    content = .write(start: 0, count: 0)
    found += objects
    content = .objects(found, isQuery: true)
    return true
  }

  private func isRepeated(by object: ObjectReference, of type: Int32, at version: Int64) -> Bool {
    guard objectType == type, self.version == version, case .objects(let found, false) = content else {
      return false
    }
    return found[0].key == object.key
  }

  /// Puts the objects of a query in the order of their keys, each once.
  mutating func sort() {
    guard case .objects(let objects, true) = content, objects.count > 1 else { return }
    var distinct: [ObjectReference] = []
    for object in objects.sorted(by: { $0.key < $1.key }) where distinct.last?.key != object.key {
      distinct.append(object)
    }
    content = .objects(distinct, isQuery: true)
  }
}
