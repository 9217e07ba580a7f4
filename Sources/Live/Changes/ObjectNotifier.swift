public import GatehouseModel
public import GatehouseStorage

/// Tells of changes of one object's properties, until it is deleted.
public final class ObjectNotifier: Notifier {
  public enum Change {
    /// The positions of the properties that have changed, and the values of all before; none where the Realm itself has changed them.
    case properties([Int], before: [Mixed])
    case deleted
  }

  private let row: RowAddress
  private let paths: [[ChangeSummary.Step]]?
  private let tell: (Change) -> Void
  private var values: [Mixed] = []

  public init(
    of row: RowAddress, in realm: LiveRealm, along paths: [[ChangeSummary.Step]]?,
    _ tell: @escaping (Change) -> Void
  ) {
    self.row = row
    self.paths = paths
    self.tell = tell
    super.init(realm, beginsWithChange: true)
    values = realm.values(of: row) ?? []
  }

  public override func settle() { values = realm.values(of: row) ?? values }

  public override func didChange(_ summary: ChangeSummary) {
    guard let new = realm.values(of: row) else { return end() }
    defer { values = new }
    let changed = changedProperties(summary)
    if !changed.isEmpty { tell(.properties(changed, before: isOwnChange ? [] : values)) }
  }

  private func changedProperties(_ summary: ChangeSummary) -> [Int] {
    let type = realm.schema.objectTypes[row.table]
    if let paths {
      let roots = paths.filter { summary.isModified(row, along: [$0]) }.compactMap(\.first?.property)
      return Array(Set(roots)).sorted()
    }
    guard let changes = summary.changes(of: row) else { return [] }
    return type.properties.indices.filter { changes.properties.contains(type.properties[$0].storedName) }
  }

  private func end() {
    realm.remove(self)
    tell(.deleted)
  }
}
