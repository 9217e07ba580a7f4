import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// Follows paths through the objects of a store.
struct Locator {
  let session: ReadSession
  /// Conceals values that paths lead to; nil: all may be seen.
  var visible: VisibleValues?

  /// Where the path leads from an object, which exists.
  ///
  /// A link inside a mixed value can only be followed where it is read: what it leads to is not known before.
  func location(
    of path: ResourcePath, from start: RowAddress, followingMixedLinks: Bool = false
  ) throws(StorageError) -> Location {
    let location = try staticLocation(of: path, from: start)
    return followingMixedLinks ? try beyondMixedLink(location) : location
  }

  /// Goes on at the object where the way into a mixed value meets a link.
  private func beyondMixedLink(_ location: Location) throws(StorageError) -> Location {
    guard !location.nested.isEmpty, var value = try stored(at: location) else { return location }
    for (index, segment) in location.nested.enumerated() {
      if case .link(let link) = value {
        let rest = Array(location.nested[index...])
        let table = try session.catalog.index(of: link.objectType)
        let target = RowAddress(table: table, key: link.key.value)
        // Names of hidden properties mean nothing here either.
        let schema = visible?.schema ?? session.catalog.schema
        guard let type = schema[link.objectType], let path = try? ResourcePath(rest, of: type, in: schema)
        else {
          throw .place(.noValue)
        }
        return try self.location(of: path, from: target, followingMixedLinks: true)
      }
      guard let part = value.part(segment) else { return location }
      value = part
    }
    return location
  }

  private func staticLocation(
    of path: ResourcePath, from start: RowAddress
  ) throws(StorageError) -> Location {
    var location: Location?
    session.observer?.visit(start.table, start.key)
    for step in path.steps {
      switch step {
      case .property(let property):
        guard let last = location else {
          location = Location(owner: start, holder: start, root: nil, property: property)
          continue
        }
        location = try enter(last, property)
      case .key(let key): location?.element = .key(key.text)
      case .index(let index): location?.element = .index(index)
      case .nested(let segment): location?.nested.append(segment.text)
      }
    }
    guard let location else { throw .place(.noValue) }
    return location
  }

  private func enter(_ last: Location, _ property: Int) throws(StorageError) -> Location {
    guard let target = try object(at: last) else { throw .place(.nullLink) }
    guard session.catalog.tables[target.table].objectType.isEmbedded else {
      observe(target, from: last)
      return Location(owner: target, holder: target, root: nil, property: property)
    }
    let root = last.root ?? Location.Root(property: last.property, element: last.element)
    return Location(owner: last.owner, holder: target, root: root, property: property)
  }

  private func observe(_ target: RowAddress, from last: Location) {
    guard let observer = session.observer else { return }
    let isEmbedded = session.catalog.tables[last.holder.table].objectType.isEmbedded
    if !isEmbedded {
      let owner = RowAddress(table: last.holder.table, key: last.holder.key)
      observer.path = ReadTracker.Path(owner: owner, property: last.property)
    }
    observer.visit(target.table, target.key)
    observer.path = nil
  }

  func layout(_ location: Location) -> PropertyLayout {
    session.catalog.tables[location.holder.table].properties[location.property]
  }

  /// The object that the place links to or holds; nil where it is null. Throws where there is no such element.
  func object(at location: Location) throws(StorageError) -> RowAddress? {
    guard case .link(let link)? = try stored(at: location) else { return nil }
    return RowAddress(
      table: try session.catalog.index(of: link.objectType), key: link.key.value)
  }

  /// The value of a property that is no collection, or of an element; what is nested in it left aside.
  func stored(at location: Location) throws(StorageError) -> Mixed? {
    try storedValue(at: location).value
  }

  /// Like ``stored(at:)``, with the bytes that the value has in the file where it holds others; 0: it does not.
  func storedValue(at location: Location) throws(StorageError) -> (value: Mixed?, size: Int) {
    let layout = layout(location)
    if let visible, case .index(let index)? = location.element, visible.drops(from: layout) {
      let values = try visible.values(of: layout, location.holder)
      guard let place = ListIndex.place(index, in: values.count) else { throw .place(.noElement) }
      return (values[place], 0)
    }
    let table = session.catalog.tables[location.holder.table]
    let statement: Statement
    switch location.element {
    case nil where layout.element == nil: throw .place(.noValue)
    case nil where layout.isColumn:
      statement = try session.cached(RowStatements.value(layout, in: table))
    case nil: return (nil, 0)
    case .key(let key)?:
      statement = try session.cached(ElementStatements.valueAtKey(layout))
      statement.bind(key, at: 2)
    case .index(let index)?:
      guard let position = try position(of: index, in: location) else { throw .place(.noElement) }
      statement = try session.cached(ElementStatements.valueAtPosition(layout))
      statement.bind(position, at: 2)
    }
    statement.bind(location.holder.key, at: 1)
    defer { statement.reset() }
    guard try session.step(statement) else {
      throw .place(location.element == nil ? .noValue : .noEntry)
    }
    let value = try statement.value(as: layout.element ?? .mixed, at: 0)
    let size = if value.isCollection { statement.blob(at: 0).count } else { 0 }
    return (try visible?.concealed(value) ?? value, size)
  }

  /// The value at the place, whatever is nested included.
  func value(at location: Location) throws(StorageError) -> Mixed {
    var value = try stored(at: location) ?? .null
    for segment in location.nested {
      guard let part = value.part(segment) else { throw .place(.noValue) }
      value = part
    }
    return value
  }

  /// Whether there is something at the place, null included.
  func exists(_ location: Location) throws(StorageError) -> Bool {
    do throws(StorageError) {
      _ = try value(at: location)
      return true
    } catch {
      guard case .place = error else { throw error }
      return false
    }
  }

  /// The position that an element of a list has in its table; nil: the list is not so long.
  func position(of index: Int, in location: Location) throws(StorageError) -> Int64? {
    try blocks(of: location).position(of: index)
  }

  /// The blocks of a list.
  func blocks(of list: Location) -> ListBlocks {
    ListBlocks(layout(list), of: list.holder.key, in: session)
  }

  /// The number of elements of a list, set or map.
  func count(_ location: Location) throws(StorageError) -> Int {
    if let visible, visible.drops(from: layout(location)) {
      return try visible.values(of: layout(location), location.holder).count
    }
    if case .list = layout(location).property.type, let count = try blocks(of: location).count {
      return count
    }
    let statement = try session.cached(ElementStatements.count(layout(location)))
    statement.bind(location.holder.key, at: 1)
    return Int(try session.integer(statement) ?? 0)
  }
}

extension Mixed {
  fileprivate var isCollection: Bool {
    switch self {
    case .list, .dictionary: true
    case .null, .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid, .link:
      false
    }
  }

  /// The entry of a dictionary, or the element of a list.
  func part(_ segment: String) -> Mixed? {
    switch self {
    case .dictionary(let entries): entries.first { $0.key.compareBytes(segment) == 0 }?.value
    case .list(let values): ListIndex.place(segment, in: values.count).map { values[$0] }
    default: nil
    }
  }

  /// Changes what is at the end of the way; `body` gets nil where a dictionary lacks the key, and makes nil of
  /// what is to be taken out.
  mutating func change(
    _ way: ArraySlice<String>, _ body: (inout Mixed?) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard let segment = way.first else {
      var value: Mixed? = self
      try body(&value)
      self = value ?? .null
      return
    }
    var part = part(segment)
    if way.count == 1 {
      try body(&part)
    } else {
      guard part != nil else { throw .place(.noValue) }
      try part?.change(way.dropFirst(), body)
    }
    try replace(segment, with: part)
  }

  private mutating func replace(_ segment: String, with part: Mixed?) throws(StorageError) {
    switch self {
    case .dictionary(var entries):
      entries.removeAll { $0.key.compareBytes(segment) == 0 }
      if let part {
        let place = entries.firstIndex { segment.compareBytes($0.key) < 0 } ?? entries.endIndex
        entries.insert(Entry(key: segment, value: part), at: place)
      }
      self = .dictionary(entries)
    case .list(var values):
      guard let index = ListIndex.place(segment, in: values.count) else { throw .place(.noElement) }
      if let part { values[index] = part } else { values.remove(at: index) }
      self = .list(values)
    default: throw .place(.noValue)
    }
  }
}
