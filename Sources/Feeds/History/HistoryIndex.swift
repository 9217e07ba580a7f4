import GatehouseModel
import GatehouseStorage

/// Finds what the log says of objects behind the position of an iterator that does not look ahead: how they change, and which
/// links of theirs these changes replace. All iterators of one reader share it; it is filled when one of them needs it.
///
/// For links it does what ``ReplacedLinks`` does for an iterator that looks ahead.
final class HistoryIndex {
  /// The part of the log of which the links of a class are known.
  private struct Covered {
    let low: LogPosition
    var high: LogPosition
  }

  /// Nil: nobody has needed it.
  private(set) var changes: ChangeIndex?
  private var covered: [String: Covered] = [:]

  /// How many changes are taken in in one go, and how many are looked at for links.
  private static let portion = 10_000
  private static let linksPortion = 2_000

  /// Whether all that lies between a position and the snapshot is in it, with the links of these classes.
  func covers(_ position: LogPosition, linksOf layouts: [ClassLayout], in snapshot: Snapshot) -> Bool {
    guard changes?.covers(position, through: snapshot.version) == true else { return false }
    return layouts.allSatisfy { coversLinks(of: $0, after: position, in: snapshot) }
  }

  /// Takes in more of that.
  func extend(
    to position: LogPosition, linksOf layouts: [ClassLayout], in snapshot: Snapshot
  ) throws(StorageError) {
    let changes: ChangeIndex
    if let known = self.changes { changes = known } else { changes = try snapshot.makeChangeIndex() }
    self.changes = changes
    guard changes.covers(position, through: snapshot.version) else {
      return try changes.extend(to: position, through: snapshot.version, limit: HistoryIndex.portion)
    }
    if let layout = layouts.first(where: { !coversLinks(of: $0, after: position, in: snapshot) }) {
      try extendLinks(of: layout, to: position, in: snapshot, index: changes)
    }
  }

  /// Calls `body` with the changes of an object after a position, in order, until it returns false.
  func forEachChange(
    of identity: Identity, after position: LogPosition, _ snapshot: Snapshot,
    _ body: (LoggedChange) throws(StorageError) -> Bool
  ) throws(StorageError) {
    guard let changes else { return }
    try snapshot.forEachChange(
      of: identity.objectType, id: identity.id, after: position, in: changes, body)
  }

  private func coversLinks(
    of layout: ClassLayout, after position: LogPosition, in snapshot: Snapshot
  ) -> Bool {
    guard let covered = covered[layout.objectType.name] else { return false }
    return covered.low <= position && LogPosition(version: snapshot.version) <= covered.high
  }

  private func extendLinks(
    of layout: ClassLayout, to position: LogPosition, in snapshot: Snapshot, index: ChangeIndex
  ) throws(StorageError) {
    let name = layout.objectType.name
    var covered = covered[name] ?? Covered(low: position, high: position)
    // Links found before are found again, and noted once. Between its end and a later position the log may have been
    // shortened.
    if position < covered.low || covered.high < position { covered = Covered(low: position, high: position) }
    let page = try snapshot.changes(
      after: covered.high, through: snapshot.version, limit: HistoryIndex.linksPortion, objectType: name)
    for change in page.changes where change.operation != .schema {
      try note(change, of: layout, in: index)
    }
    covered.high = page.isLast ? LogPosition(version: snapshot.version) : page.next
    precondition(covered.low <= covered.high, "what is covered grows forward")
    self.covered[name] = covered
  }

  /// The objects of a class that may have had such a link at a position, in the order of what identifies them.
  func owners(
    of property: Int, _ layout: ClassLayout, to target: Mixed, at position: LogPosition
  ) throws(StorageError) -> [Identity] {
    try owners(in: layout, by: property, to: target, after: position)
  }

  /// The objects of a class whose `property`, which holds embedded objects, has changed since a position.
  func objects(
    differingIn property: Int, _ layout: ClassLayout, at position: LogPosition
  ) throws(StorageError) -> [Identity] {
    try owners(in: layout, by: property, to: HistoryIndex.anyTarget, after: position)
  }

  /// Stands for all that embedded objects link to.
  private static let anyTarget = Mixed.string("")

  private func owners(
    in layout: ClassLayout, by property: Int, to target: Mixed, after position: LogPosition
  ) throws(StorageError) -> [Identity] {
    let type = layout.objectType
    guard let changes else { return [] }
    let found = try changes.formerOwners(
      type.name, by: type.properties[property].storedName, to: target, after: position)
    return found.sorted { MixedOrder.compare($0, $1) < 0 }.map { Identity(objectType: type.name, id: $0) }
  }

  private func note(
    _ change: LoggedChange, of layout: ClassLayout, in index: ChangeIndex
  ) throws(StorageError) {
    var links: [(property: Int, target: Mixed)] = []
    layout.forEachProperty(of: change.before) { property, value in
      let type = layout.objectType.properties[property].type
      if layout.links.contains(property) {
        links += value.elements(of: type).flatMap { $0.targets(of: type) }.map { (property, $0) }
      } else if case .object? = type.stored?.element {
        links.append((property, HistoryIndex.anyTarget))
      }
    }
    for collection in change.elements {
      guard let property = layout.property(storedAs: collection.property, hint: 0) else { continue }
      let type = layout.objectType.properties[property].type
      if layout.links.contains(property) {
        links += collection.elements.compactMap(\.before).flatMap { $0.targets(of: type) }.map {
          (property, $0)
        }
      } else if case .object? = type.stored?.element {
        links.append((property, HistoryIndex.anyTarget))
      }
    }
    for (property, target) in links {
      try index.noteLink(
        from: change.objectType, id: change.id, by: layout.objectType.properties[property].storedName,
        to: target, until: change.position)
    }
  }
}
