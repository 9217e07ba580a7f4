public import GatehouseModel
public import GatehouseQuery
public import GatehouseStorage

/// All that has changed between two states of a live Realm.
public final class ChangeSummary {
  /// A property on a way from object to object.
  public struct Step: Hashable {
    /// The class that has the property.
    public let table: Int
    /// The position of the property.
    public let property: Int
    /// The entry of the map that the property is, where only that one counts.
    public let field: String?

    public init(table: Int, property: Int, field: String? = nil) {
      self.table = table
      self.property = property
      self.field = field
    }
  }

  /// How many links away an object may be whose change is one of the first.
  static let depth = 3

  private let realm: LiveRealm
  private let schema: Schema
  private let objects: [RowAddress: ObjectChanges]
  /// The objects that have changed, by their classes.
  let rows: [Int: [RowAddress]]
  /// Whether what has changed is not known any more: then any object may have.
  public let isIncomplete: Bool
  /// The objects whose links from others have come or gone, by the properties that link to them.
  private let relinked: LinkChanges
  /// The links that were followed already, for objects that are found not to have changed.
  private var known: [RowAddress: Bool] = [:]

  /// Reads the changes of the commits behind a version, but for some of them.
  init(after version: Int64, in realm: LiveRealm, without skipped: Set<Int64>) {
    self.realm = realm
    schema = realm.schema
    var objects: [RowAddress: ObjectChanges] = [:]
    var embedding: [(row: RowAddress, change: LoggedChange)] = []
    var embedded = EmbeddedChanges(in: realm)
    var relinked = LinkChanges(in: schema)
    let concerned = schema.objectTypes.indices.filter { embedded.mayConcern($0) }
    isIncomplete = realm.read { reader throws(StorageError) in
      do throws(StorageError) {
        try reader.forEachChange(after: version) { change in
          guard !skipped.contains(change.position.version), let table = realm.table(change.objectType)
          else { return }
          let row = RowAddress(table: table, key: change.key.value)
          objects[row, default: ObjectChanges()].add(change)
          relinked.add(change, of: table)
          if concerned.contains(table) { embedding.append((row, change)) }
        }
        return false
      } catch {
        guard case .positionExpired = error else { throw error }
        return true
      }
    }
    for (row, change) in embedding where objects[row]?.isGone == false { embedded.add(change, of: row) }
    objects.merge(embedded.objects) { own, _ in own }
    self.objects = objects
    self.relinked = relinked
    rows = Dictionary(grouping: objects.keys, by: \.table)
  }

  /// Returns the change of an object; nil: it has not changed.
  public func changes(of row: RowAddress) -> ObjectChanges? { objects[row] }

  public var isEmpty: Bool { objects.isEmpty && !isIncomplete }

  // Modifications

  /// Whether an object counts as modified: it has changed, or one that a few links lead to. With paths, only what is on them
  /// counts, however long they are.
  public func isModified(_ row: RowAddress, along paths: [[Step]]?) -> Bool {
    if isIncomplete { return true }
    if objects.isEmpty { return false }
    guard let paths else { return hasChanged(row, within: Self.depth) }
    return paths.contains { hasChanged(row, along: $0[...]) }
  }

  private func hasChanged(_ row: RowAddress, within depth: Int) -> Bool {
    if let change = objects[row], !change.isNew || depth < Self.depth { return true }
    if depth == 0 { return false }
    if depth == Self.depth, let known = known[row] { return known }
    let type = schema.objectTypes[row.table]
    var hasChanged = false
    for (property, definition) in type.properties.enumerated() where definition.type.mayLink {
      for target in targets(of: property, row) where self.hasChanged(target, within: depth - 1) {
        hasChanged = true
        break
      }
      if hasChanged { break }
    }
    if depth == Self.depth { known[row] = hasChanged }
    return hasChanged
  }

  private func hasChanged(_ row: RowAddress, along path: ArraySlice<Step>) -> Bool {
    guard let step = path.first, step.table == row.table else { return false }
    let property = schema.objectTypes[row.table].properties[step.property]
    if let change = objects[row], change.isNew || change.hasWritten(property.storedName, step.field) {
      return true
    }
    if case .linkingObjects(let objectType, let name) = property.type, hasLinked(objectType, name, to: row) {
      return true
    }
    let rest = path.dropFirst()
    return !rest.isEmpty && targets(of: step.property, row).contains { hasChanged($0, along: rest) }
  }

  /// Whether links to an object by a property of a class have come or gone. Of an embedded class it is not known to which objects.
  private func hasLinked(_ objectType: String, _ name: String, to row: RowAddress) -> Bool {
    guard let table = realm.table(objectType), let stored = schema[objectType]?[name]?.storedName else {
      return false
    }
    if !schema.objectTypes[table].isEmbedded {
      return relinked.concerns(realm.identifier(of: row), by: stored, of: table)
    }
    return objects.contains { $0.table == table && ($1.isNew || $1.isGone || $1.properties.contains(stored)) }
  }

  private func targets(of property: Int, _ row: RowAddress) -> [RowAddress] {
    realm.linkTargets(of: property, row)
  }
}

extension PropertyType {
  /// Whether values may link to objects.
  var mayLink: Bool {
    switch self {
    case .one(let type, _), .list(let type, _), .set(let type, _), .map(let type, _):
      if case .object = type { true } else { type == .mixed }
    case .linkingObjects: false
    }
  }
}

extension LiveRealm {
  /// The value that logged links to an object have: its primary key, or its key where the class has none.
  fileprivate func identifier(of row: RowAddress) -> Mixed {
    guard let property = schema.objectTypes[row.table].primaryKeyIndex else { return .int(row.key) }
    return values(of: row)?[property] ?? .null
  }

  /// The objects that a property of an object links to, or that link to it by the property.
  public func linkTargets(of property: Int, _ row: RowAddress) -> [RowAddress] {
    let isSingle: Bool
    if case .one = schema.objectTypes[row.table].properties[property].type {
      isSingle = true
    } else {
      isSingle = false
    }
    let elements =
      isSingle
      ? values(of: row).map { [$0[property]] } ?? []
      : read { reader throws(StorageError) in try reader.elements(property, of: row) }
    return elements.compactMap { self.row(of: $0) }
  }

  /// The object that a value links to; nil: it is no link.
  public func row(of value: Mixed) -> RowAddress? {
    guard case .link(let link) = value else { return nil }
    // Most links of a while lead to objects of one class.
    if !isFrozen, let last = lastTable, last.objectType == link.objectType {
      return RowAddress(table: last.table, key: link.key.value)
    }
    guard let table = table(link.objectType) else { return nil }
    if !isFrozen { lastTable = (link.objectType, table) }
    return RowAddress(table: table, key: link.key.value)
  }

  /// Whether a predicate, which is bound to the object's class, holds for it.
  public func matches(_ predicate: Predicate, _ row: RowAddress) -> Bool {
    read { reader throws(StorageError) in try reader.matches(predicate, row) }
  }

  /// The values that a path leads to from an object.
  public func values(of path: GatehouseQuery.KeyPath, from row: RowAddress) -> [Mixed] {
    read { reader throws(StorageError) in try reader.values(of: path, from: row) }
  }
}
