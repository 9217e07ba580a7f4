import BSON
import Model
import SQLite

// Changes of what a path leads to: one statement or a few, and one small change in the log.
extension WriteTransaction {
  var locator: Locator { Locator(session: reading) }

  func change(
    _ table: Int, _ id: Mixed, _ path: ResourcePath, _ change: PropertyChange,
    _ precondition: Operation.Precondition
  ) throws(StorageError) -> Outcome {
    guard let found = try find(table, id) else {
      throw .objectNotFound(objectType: catalog.tables[table].objectType.name, id: id)
    }
    let start = RowAddress(table: table, key: found.key)
    try requireVisible(start, id)
    let location = try locator.location(of: path, from: start)
    try admit(location.owner, try identifier(of: location.owner))
    try check(precondition, location)
    var effect = Commit.Result.Effect.updated
    if case .assign = change, case .key? = location.element, try !locator.exists(location) {
      effect = .created
    }
    try perform(change, at: location)
    return Outcome(subject: location.owner, id: try identifier(of: location.owner), effect: effect)
  }

  /// Versions are the owner's; whether there is something is asked of the place itself.
  private func check(_ precondition: Operation.Precondition, _ location: Location) throws(StorageError) {
    guard precondition != .none else { return }
    let statement = try statements[location.owner.table][.version]
    statement.bind(location.owner.key, at: 1)
    let version = try reading.integer(statement)
    let holds =
      switch precondition {
      case .none: true
      case .version(let allowed): version.map { allowed.contains($0) } ?? false
      case .exists: try locator.exists(location)
      case .absent: try !locator.exists(location)
      }
    guard holds else { throw .versionMismatch(current: version) }
  }

  private func perform(_ change: PropertyChange, at location: Location) throws(StorageError) {
    switch change {
    case .assign(let value) where location.nested.isEmpty: try assign(value, at: location)
    case .assign(let value):
      let value = try stored(value, in: locator.layout(location), of: location.holder)
      try changeMixed(at: location) { $0 = value }
    case .remove: try remove(location)
    case .patch(let patch): try self.patch(patch, at: location)
    case .merge(let entries, let uniquing): try merge(entries, uniquing, into: location)
    case .insert, .move, .removeElements:
      if case .list = locator.layout(location).property.type, location.element == nil {
        try changeList(change, at: location)
      } else {
        try changeMixedList(change, at: location)
      }
    case .union(let values): try unite(values, with: location)
    case .subtract(let values): try subtract(values, from: location)
    case .intersect(let values): try intersect(values, with: location)
    }
  }

  private func assign(_ value: DraftValue, at location: Location) throws(StorageError) {
    switch location.element {
    case nil:
      try checkIdentity(value, location)
      try logged(location) { () throws(StorageError) in
        try assign(value, to: location.property, of: location.holder)
      }
    case .key(let key)?:
      try logged(location) { () throws(StorageError) in
        try removeEmbedded(at: key, of: location.property, location.holder)
        try insertElement(value, at: .key(key), of: location.property, location.holder)
      }
    case .index(let index)?: try replaceElement(index, with: value, at: location)
    }
  }

  /// The primary key stays what it is.
  private func checkIdentity(_ value: DraftValue, _ location: Location) throws(StorageError) {
    let type = catalog.tables[location.holder.table].objectType
    guard location.property == type.primaryKeyIndex else { return }
    let id = try identifier(of: location.holder)
    guard case .value(id) = value else { throw .primaryKeyChanged(objectType: type.name, id: id) }
  }

  private func remove(_ location: Location) throws(StorageError) {
    guard location.nested.isEmpty else {
      guard try locator.exists(location) else { return }
      return try changeMixed(at: location) { $0 = nil }
    }
    switch location.element {
    case nil: try assign(locator.layout(location).property.type.emptyValue, at: location)
    case .key(let key)?:
      // Realm: a key that is not there may be removed.
      guard try locator.exists(location) else { return }
      try logged(location) { () throws(StorageError) in
        try removeEmbedded(at: key, of: location.property, location.holder)
        try removeEntry(key, of: location.property, location.holder)
      }
    case .index(let index)?:
      try changeList(.removeElements(from: index, count: 1), at: location)
    }
  }

  private func patch(_ patch: ObjectPatch, at location: Location) throws(StorageError) {
    guard let target = try locator.object(at: location) else {
      guard case .object(let name)? = locator.layout(location).element else { throw .corrupt("patch") }
      let draft = try draft(patch, try catalog.index(of: name))
      return try assign(.embedded(draft), at: location)
    }
    try logged(location) { () throws(StorageError) in
      for change in patch.changes { try apply(change, to: target) }
    }
  }

  private func merge(
    _ entries: [DraftValue.Entry], _ uniquing: PropertyChange.Uniquing, into location: Location
  ) throws(StorageError) {
    guard case .map = locator.layout(location).property.type, location.element == nil else {
      return try mergeMixed(entries, uniquing, into: location)
    }
    for entry in entries {
      var place = location
      place.element = .key(entry.key)
      if uniquing != .new, try locator.exists(place) {
        guard uniquing == .old else { throw .place(.entryExists) }
        continue
      }
      try assign(entry.value, at: place)
    }
  }

  /// Changes something by `body`, and remembers it for the log: an element as that element.
  func logged(_ location: Location, _ body: () throws(StorageError) -> Void) throws(StorageError) {
    let owner = location.owner
    let (property, element) =
      location.root.map { ($0.property, $0.element) } ?? (location.property, location.element)
    switch element {
    case nil:
      try willChange(property, of: owner, id: try identifier(of: owner))
      try body()
    case let element?:
      guard try isLogged(property, of: owner) else { return try body() }
      let before = try image(element, of: property, owner)
      try body()
      let after = try image(element, of: property, owner)
      let place: ElementChange.Place =
        switch element {
        case .key(let key): .key(key)
        case .index(let index): .index(index < 0 ? try index + count(property, owner) : index)
        }
      recorder.didChange(
        ElementChange(place, before: before, after: after), of: property, of: owner,
        id: try identifier(of: owner))
    }
  }

  private func count(_ property: Int, _ owner: RowAddress) throws(StorageError) -> Int {
    try locator.count(Location(owner: owner, holder: owner, root: nil, property: property))
  }

  private func image(
    _ element: Location.Element, of property: Int, _ owner: RowAddress
  ) throws(StorageError) -> Mixed? {
    switch element {
    case .key(let key): return try entry(key, of: property, owner)
    case .index(let index):
      let location = Location(owner: owner, holder: owner, root: nil, property: property)
      guard let position = try locator.position(of: index, in: location) else { return nil }
      return try image(at: position, of: property, owner)
    }
  }

  /// The image of the element of a list at a position of its table.
  func image(
    at position: Int64, of property: Int, _ owner: RowAddress
  ) throws(StorageError) -> Mixed? {
    try element(ElementShape(table: owner.table, property: property, selector: .position), owner.key) {
      $0.bind(position, at: 2)
    }
  }
}
