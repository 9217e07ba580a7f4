import GatehouseModel
public import GatehouseStorage

/// Tells of changes of a map by its keys.
public final class MapNotifier: Notifier {
  /// The keys that have gone, come, or got another value.
  public struct Update {
    public var deletions: [String] = []
    public var insertions: [String] = []
    public var modifications: [String] = []

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
  }

  private var row: RowAddress
  private var property: Int
  /// Where the map is inside of a mixed value; nil: the property is the map.
  private var mixed: MixedPlace?
  private var paths: [[ChangeSummary.Step]]?
  /// Whether the schema has the property no more.
  private var isLost = false
  private let tell: (Update?) -> Void
  private var entries: [(key: String, value: Mixed)] = []

  public init(
    of property: Int, of row: RowAddress, inside mixed: MixedPlace? = nil, in realm: LiveRealm,
    along paths: [[ChangeSummary.Step]]?, _ tell: @escaping (Update?) -> Void
  ) {
    self.mixed = mixed
    self.property = property
    self.row = row
    self.paths = paths
    self.tell = tell
    super.init(realm)
  }

  private var current: [(key: String, value: Mixed)] {
    if isLost { return [] }
    if let mixed {
      let map = realm.value(at: mixed)
      return Array(zip(map?.keys ?? [], map?.parts ?? []))
    }
    return realm.entries(of: property, row)
  }

  public override func begin() {
    entries = current
    tell(nil)
  }

  public override func follow(_ positions: SchemaPositions) {
    paths = positions.paths(paths)
    guard let row = positions.row(row), let property = positions.property(property, of: self.row.table) else {
      isLost = true
      return
    }
    mixed = mixed.flatMap { positions.place($0) }
    (self.row, self.property) = (row, property)
  }

  public override func settle() { entries = current }

  public override func didChange(_ summary: ChangeSummary) {
    let new = current
    let old = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
    let values = Dictionary(uniqueKeysWithValues: new.map { ($0.key, $0.value) })
    let written = writtenKeys(summary)
    var update = Update()
    update.deletions = entries.map(\.key).filter { values[$0] == nil }
    for (key, value) in new {
      guard let before = old[key] else {
        update.insertions.append(key)
        continue
      }
      let isModified = realm.row(of: value).map { summary.isModified($0, along: paths) } ?? false
      if written.contains(key) || before != value || isModified { update.modifications.append(key) }
    }
    precondition(
      entries.count - update.deletions.count + update.insertions.count == new.count,
      "a difference leads from the old to the new")
    entries = new
    if !update.isEmpty { tell(update) }
  }

  /// The keys whose values were set, be it to the same.
  private func writtenKeys(_ summary: ChangeSummary) -> Set<String> {
    if isLost { return [] }
    let name = realm.schema.objectTypes[row.table].properties[property].storedName
    var keys: Set<String> = []
    for case .elements(let changes) in summary.changes(of: row)?.edits[name] ?? [] {
      for change in changes { if case .key(let key) = change.place { keys.insert(key) } }
    }
    return keys
  }
}

extension LiveRealm {
  /// The entries of a map of an object.
  func entries(of property: Int, _ row: RowAddress) -> [(key: String, value: Mixed)] {
    read { reader throws(StorageError) in
      let (keys, values) = (try reader.keys(property, of: row), try reader.elements(property, of: row))
      precondition(keys.count == values.count, "each key of a map has a value")
      return Array(zip(keys, values))
    }
  }
}
