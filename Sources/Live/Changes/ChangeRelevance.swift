import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// Says of changes that they cannot concern results: neither what is among them, nor what counts as modified. Asking that of each of many
/// results takes less than evaluating them anew.
///
/// A changed object concerns those that it was among, and those whose conditions hold for it now. Only conditions and orders that look
/// at an object's own values are understood.
final class ChangeRelevance {
  private let objectType: String
  private let table: Int
  /// The generation of the schema that it is about.
  private let generation: Int64
  private let conditions: [Predicate]
  /// Values without which no object is among the results.
  private let equalities: [(property: Int, value: Mixed)]
  /// The classes whose objects, changed, may have elements count as modified that lead to them.
  private let linked: Set<Int>
  /// The keys of the elements; nil: not known yet.
  private var keys: Set<Int64>?

  /// The most changed objects that are looked at one by one.
  private static let mostObjects = 64

  /// Nil where a change of any object may concern the results.
  init?(of results: LiveResults, along paths: [[ChangeSummary.Step]]?) {
    let schema = results.realm.schema
    guard case .objectType(let name) = results.source, let table = results.realm.table(name),
      results.dependsOnOwnValues,
      let linked = paths.map({ schema.tables(along: $0) }) ?? schema.tables(linkedFrom: table)
    else { return nil }
    objectType = name
    self.table = table
    self.linked = linked
    generation = results.realm.generation
    conditions = results.steps.compactMap { if case .filter(let condition) = $0 { condition } else { nil } }
    equalities = conditions.compactMap { $0.requiredEquality(in: schema.objectTypes[table]) }
  }

  /// Whether the changes leave the elements and their order as they are, and none of them counts as modified.
  func isIrrelevant(
    _ summary: ChangeSummary, to elements: [Mixed], in realm: LiveRealm
  ) -> Bool {
    if summary.isIncomplete || realm.generation != generation { return false }
    if !linked.isDisjoint(with: summary.rows.keys) { return false }
    guard let rows = summary.rows[table] else { return true }
    if rows.count > Self.mostObjects || rows.contains(where: { isWanted($0, in: realm) }) { return false }
    let keys = keys ?? Set(elements.compactMap(\.linkedKey))
    self.keys = keys
    return !rows.contains { keys.contains($0.key) }
  }

  private func isWanted(_ row: RowAddress, in realm: LiveRealm) -> Bool {
    guard let values = realm.values(of: row) else { return false }
    return equalities.allSatisfy { values[$0.property] == $0.value }
      && conditions.allSatisfy { $0.matches(KnownObject(realm: realm, row: row, values: values)) }
  }

  /// Notes that the elements are others now.
  func forgetElements() { keys = nil }
}

/// An object whose values are known, for conditions that look at no other object.
private struct KnownObject: ObjectView {
  let realm: LiveRealm
  let row: RowAddress
  let values: [Mixed]

  var key: ObjectKey { ObjectKey(row.key) }
  var isDocument: Bool { realm.schema.objectTypes[row.table].isSchemaless }

  func value(_ property: Int) -> Mixed { values[property] }

  func elements(_ property: Int) -> [Mixed] {
    realm.read { reader throws(StorageError) in try reader.elements(property, of: row) }
  }

  func keys(_ property: Int) -> [String] {
    realm.read { reader throws(StorageError) in try reader.keys(property, of: row) }
  }

  func object(_ link: ObjectLink) -> KnownObject? { nil }
  func linkingObjects(_ objectType: String, _ property: Int) -> [KnownObject] { [] }
  func value(named name: String) -> Mixed? { nil }
  func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? { nil }
}

extension Mixed {
  fileprivate var linkedKey: Int64? { if case .link(let link) = self { link.key.value } else { nil } }
}

extension Schema {
  /// The positions of the classes whose objects those of a class lead to, by as many links as count; nil: of any class.
  fileprivate func tables(linkedFrom table: Int) -> Set<Int>? {
    var found: Set<Int> = []
    var last: Set<Int> = [table]
    for _ in 0..<ChangeSummary.depth {
      var next: Set<Int> = []
      for property in last.flatMap({ objectTypes[$0].properties }) where property.type.mayLink {
        guard let target = property.type.linkTarget.flatMap({ position(of: $0) }) else { return nil }
        next.insert(target)
      }
      last = next.subtracting(found)
      found.formUnion(next)
    }
    return found
  }

  /// The positions of the classes on paths, but for the first of each.
  fileprivate func tables(along paths: [[ChangeSummary.Step]]) -> Set<Int> {
    var found: Set<Int> = []
    for path in paths {
      found.formUnion(path.dropFirst().map(\.table))
      for step in path {
        let type = objectTypes[step.table].properties[step.property].type
        guard case .linkingObjects(let name, _) = type, let origin = position(of: name) else { continue }
        found.insert(origin)
      }
    }
    return found
  }

  private func position(of objectType: String) -> Int? {
    objectTypes.firstIndex { $0.name == objectType }
  }
}
