import Model
import SQLite

extension WriteTransaction {
  /// What the column of a property, or the value column of its child table, holds for that value. Inserts
  /// embedded objects, and looks up what links lead to.
  func stored(
    _ value: DraftValue, in layout: PropertyLayout, of subject: RowAddress
  ) throws(StorageError) -> Mixed {
    switch value {
    case .value(let value): return value
    case .link(let objectType, let primaryKey):
      let key = try target(objectType, primaryKey, in: layout, of: subject)
      guard layout.element == .mixed else { return .int(key) }
      let link = ObjectLink(objectType: objectType, key: ObjectKey(key))
      try noteMixedLink(to: link, from: subject, layout)
      return .link(link)
    case .embedded(let draft):
      let embedded = try newEmbedded(layout)
      try insertRow(embedded, draft)
      return .int(embedded.key)
    // Only mixed properties hold collections as one value.
    case .list(let values):
      var elements: [Mixed] = []
      for value in values { elements.append(try stored(value, in: layout, of: subject)) }
      return .list(elements)
    case .map(let entries):
      var values: [Mixed.Entry] = []
      for entry in entries {
        values.append(Mixed.Entry(key: entry.key, value: try stored(entry.value, in: layout, of: subject)))
      }
      return .dictionary(values)
    }
  }

  /// A new object of the embedded class that the property holds.
  func newEmbedded(_ layout: PropertyLayout) throws(StorageError) -> RowAddress {
    guard case .object(let objectType)? = layout.element else { throw .corrupt("embedded draft") }
    let table = try catalog.index(of: objectType)
    return RowAddress(table: table, key: counters.takeKey(table))
  }

  /// The key of the object that clients identify by `identifier`; a ``ForwardReference``'s where it must still come.
  private func target(
    _ objectType: String, _ identifier: Mixed, in layout: PropertyLayout, of subject: RowAddress
  ) throws(StorageError) -> Int64 {
    let table = try catalog.topLevelIndex(of: objectType)
    if let found = try find(table, identifier) { return found.key }
    let target = Target(table: table, identifier: identifier)
    var promise = if let awaited = awaited[target] { awaited } else { try promise(of: target) }
    if promise.isPlaceholder,
      let property = catalog.tables[subject.table].properties.firstIndex(where: { $0.name == layout.name })
    {
      let place = ForwardReference.Place(table: subject.table, property: property)
      if !promise.places.contains(place) { promise.places.append(place) }
    }
    awaited[target] = promise
    return promise.key
  }

  private func promise(of target: Target) throws(StorageError) -> ForwardReference {
    let type = catalog.tables[target.table].objectType
    guard type.primaryKey == nil else {
      promises += 1
      return ForwardReference(key: -promises, operation: operation)
    }
    guard case .int(let named) = target.identifier, (0...ObjectKey.largest).contains(named) else {
      throw .linkTargetNotFound(objectType: type.name, primaryKey: target.identifier)
    }
    counters.use(named, target.table)
    return ForwardReference(key: named, operation: operation)
  }

  /// Has the links that hold the key of a promise lead to the object, which is there now.
  func keep(_ promise: ForwardReference, by subject: RowAddress) throws(StorageError) {
    guard promise.isPlaceholder else { return }
    for place in promise.places {
      let table = catalog.tables[place.table]
      if table.properties[place.property].element == .mixed {
        try relink(promise.key, to: subject, in: place)
        continue
      }
      let statement = try statements[place.table][.relink(place.property)]
      statement.bind(subject.key, at: 1)
      statement.bind(promise.key, at: 2)
      try run(statement)
    }
  }

  /// The first operation that linked to an object that never came.
  var missingTarget: OperationError? {
    awaited.min { ($0.value.operation, $0.value.key) < ($1.value.operation, $1.value.key) }.map { entry in
      let objectType = catalog.tables[entry.key.table].objectType.name
      return OperationError(
        operation: entry.value.operation,
        reason: .linkTargetNotFound(objectType: objectType, primaryKey: entry.key.identifier))
    }
  }

  /// Takes an object out of everything that links to it: links become null, lists and sets lose the element,
  /// maps keep the key with null.
  func unlink(_ subject: RowAddress) throws(StorageError) {
    for link in catalog.incoming[subject.table] {
      if case .map = catalog.tables[link.table].properties[link.property].property.type {
        try unlinkEntries(link, to: subject.key)
        continue
      }
      if case .list = catalog.tables[link.table].properties[link.property].property.type {
        try unlinkElements(link, to: subject.key)
        continue
      }
      let owners = try owners(of: link, to: subject.key)
      guard !owners.isEmpty else { continue }
      for owner in owners { try willChangeRoot(link.property, of: owner) }
      let statement = try statements[link.table][.unlink(link.property)]
      statement.bind(subject.key, at: 1)
      try run(statement)
    }
    try unlinkMixed(subject)
  }

  /// The keys stay and lead to null, which is a modification of each (Realm: `testObserveKeyPathDeleted`).
  private func unlinkEntries(_ link: Catalog.IncomingLink, to key: Int64) throws(StorageError) {
    let entries = try places(.linkingEntries(link.property), of: link, to: key) { $0.string(at: 1) }
    let isEmbedded = catalog.tables[link.table].objectType.isEmbedded
    for entry in entries {
      if isEmbedded { try willChangeRoot(link.property, of: entry.owner) }
      try changeEntry(entry.place, of: link.property, of: entry.owner) { () throws(StorageError) in
        let nulling = try statements[link.table][.nullEntry(link.property)]
        nulling.bind(entry.owner.key, at: 1)
        nulling.bind(entry.place, at: 2)
        try run(nulling)
      }
    }
  }

  /// The owners of collections that link to the object, and where in them.
  private func places<Place>(
    _ purpose: TableStatements.Purpose, of link: Catalog.IncomingLink, to key: Int64,
    _ place: (Statement) -> Place
  ) throws(StorageError) -> [(owner: RowAddress, place: Place)] {
    let statement = try statements[link.table][purpose]
    statement.bind(key, at: 1)
    var places: [(owner: RowAddress, place: Place)] = []
    while try reading.step(statement) {
      let owner = RowAddress(table: link.table, key: statement.int64(at: 0))
      places.append((owner, place(statement)))
    }
    return places
  }

  private func unlinkElements(_ link: Catalog.IncomingLink, to key: Int64) throws(StorageError) {
    let elements = try places(.linkingElements(link.property), of: link, to: key) { $0.int64(at: 1) }
    let isEmbedded = catalog.tables[link.table].objectType.isEmbedded
    for element in elements {
      if isEmbedded { try willChangeRoot(link.property, of: element.owner) }
      try removeElement(at: element.place, of: link.property, element.owner)
    }
  }

  private func owners(
    of link: Catalog.IncomingLink, to key: Int64
  ) throws(StorageError) -> [RowAddress] {
    let statement = try statements[link.table][.owners(link.property)]
    statement.bind(key, at: 1)
    return try integers(statement).map { RowAddress(table: link.table, key: $0) }
  }

  /// The object that an embedded object belongs to in the end, and the property that holds it.
  func root(
    _ property: Int, of subject: RowAddress
  ) throws(StorageError) -> (property: Int, subject: RowAddress)? {
    guard catalog.tables[subject.table].objectType.isEmbedded else { return (property, subject) }
    for link in catalog.incoming[subject.table] {
      if let owner = try owners(of: link, to: subject.key).first {
        return try root(link.property, of: owner)
      }
    }
    return nil
  }
}

extension ObjectKey {
  /// The largest key that a client may ask for: far enough from the end that counting on never overflows.
  static let largest: Int64 = 1 << 62
}
