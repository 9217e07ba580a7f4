public import GatehouseModel
public import GatehouseStorage

/// Tells of changes of one object's properties, until it is deleted.
public final class ObjectNotifier: Notifier {
  /// A field of a document that has changed, and its value before and after; nil: there was none, or is none any more.
  public struct FieldChange {
    public let name: String
    public let before: Mixed?
    public let after: Mixed?
  }

  public enum Change {
    /// The positions of the properties that have changed, and the values of all before; none where the Realm itself has changed them.
    case properties([Int], before: [Mixed], fields: [FieldChange])
    case deleted
  }

  private var row: RowAddress
  private var paths: [[ChangeSummary.Step]]?
  private let tell: (Change) -> Void
  private var values: [Mixed] = []
  /// The fields of an object of a schemaless class.
  private var fields: [String: Mixed] = [:]
  /// Whether the schema has the class no more.
  private var isLost = false

  public init(
    of row: RowAddress, in realm: LiveRealm, along paths: [[ChangeSummary.Step]]?,
    _ tell: @escaping (Change) -> Void
  ) {
    self.row = row
    self.paths = paths
    self.tell = tell
    super.init(realm, beginsWithChange: true)
    settle()
  }

  public override func follow(_ positions: SchemaPositions) {
    paths = positions.paths(paths)
    values = positions.values(values, of: row.table)
    guard let row = positions.row(row) else {
      isLost = true
      return
    }
    self.row = row
  }

  public override func settle() {
    guard !isLost, let values = realm.values(of: row) else { return }
    (self.values, fields) = (values, currentFields)
  }

  public override func didChange(_ summary: ChangeSummary) {
    guard !isLost, let new = realm.values(of: row) else { return end() }
    precondition(
      values.isEmpty || values.count == new.count,
      "the values before a change are of the properties that there are behind it")
    let (old, newFields) = (fields, currentFields)
    defer { (values, fields) = (new, newFields) }
    let changed = changedProperties(summary, new)
    let changedFields = fieldChanges(summary, from: old, to: newFields)
    if changed.isEmpty, changedFields.isEmpty { return }
    tell(.properties(changed, before: isOwnChange ? [] : values, fields: changedFields))
  }

  private var type: ObjectType { realm.schema.objectTypes[row.table] }

  /// Whether a change of a property is one inside of the embedded object that it has still.
  private func hasChangedInside(_ property: Int, _ new: [Mixed]) -> Bool {
    guard case .one(.object(let name), _) = type.properties[property].type,
      realm.schema[name]?.isEmbedded == true, values.indices.contains(property), case .link = new[property]
    else { return false }
    return values[property] == new[property]
  }

  private func changedProperties(_ summary: ChangeSummary, _ new: [Mixed]) -> [Int] {
    let type = type
    let changed: [Int]
    if let paths {
      let roots = paths.filter { summary.isModified(row, along: [$0]) }.compactMap(\.first?.property)
      changed = Array(Set(roots)).sorted()
    } else if let changes = summary.changes(of: row) {
      changed = type.properties.indices.filter {
        changes.properties.contains(type.properties[$0].storedName) && !hasChangedInside($0, new)
      }
    } else {
      changed = []
    }
    return changed.filter { $0 != type.fieldsIndex }
  }

  private func end() {
    realm.remove(self)
    tell(.deleted)
  }

  // Documents

  private var currentFields: [String: Mixed] {
    guard let property = type.fieldsIndex else { return [:] }
    return Dictionary(uniqueKeysWithValues: realm.entries(of: property, row))
  }

  /// The fields that were set, be it to the same, in the order of their names.
  private func fieldChanges(
    _ summary: ChangeSummary, from old: [String: Mixed], to new: [String: Mixed]
  ) -> [FieldChange] {
    guard let property = type.fieldsIndex, let changes = summary.changes(of: row) else { return [] }
    let stored = type.properties[property].storedName
    let observed = paths?.compactMap(\.first?.field)
    return Set(old.keys).union(new.keys).sorted().compactMap { name in
      if let observed, !observed.contains(name) { return nil }
      guard old[name] != new[name] || changes.hasWritten(stored, name) else { return nil }
      return FieldChange(name: name, before: isOwnChange ? nil : old[name], after: new[name])
    }
  }
}
