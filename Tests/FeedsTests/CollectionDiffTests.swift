import GatehouseModel
import GatehouseSeeded
import Testing

@testable import GatehouseFeeds

/// Applies an update as clients do: delete from the end, insert from the beginning.
private func applied<Element>(_ diff: CollectionDiff, to old: [Element], from new: [Element]) -> [Element] {
  var elements = old
  for index in diff.deletions.reversed() { elements.remove(at: index) }
  for index in diff.insertions { elements.insert(new[index], at: index) }
  return elements
}

@Suite struct CollectionDiffTests {
  @Test func `a moved element is deleted and inserted, the others stay`() {
    let diff = CollectionDiff(from: ["a", "b", "c", "d"], to: ["a", "c", "d", "b", "e"]) { $0 == "c" }
    #expect(
      (diff.deletions, diff.insertions, diff.modifications, diff.modificationsNew) == ([1], [3, 4], [2], [1]))
  }

  @Test func `a modified element that moves is no modification`() {
    let diff = CollectionDiff(from: [1, 2, 3], to: [2, 3, 1]) { $0 == 1 }
    #expect((diff.deletions, diff.insertions, diff.modifications) == ([0], [2], []))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `deletions and insertions make the new collection of the old one`(seed: UInt64) {
    var chance = SeededGenerator(seed: seed)
    var old: [Int] = []
    var next = 0
    for _ in 0..<1_000 {
      var new = old
      for _ in 0..<Int.random(in: 0...4, using: &chance) {
        switch Int.random(in: 0..<4, using: &chance) {
        case 0 where !new.isEmpty: new.remove(at: Int.random(in: new.indices, using: &chance))
        case 1 where new.count > 1:
          let element = new.remove(at: Int.random(in: new.indices, using: &chance))
          new.insert(element, at: Int.random(in: 0...new.count, using: &chance))
        default:
          new.insert(next, at: Int.random(in: 0...new.count, using: &chance))
          next += 1
        }
      }
      if new.count > 30 { new.removeLast(20) }
      let modified = Set(old.filter { _ in Int.random(in: 0..<8, using: &chance) == 0 })
      let diff = CollectionDiff(from: old, to: new) { modified.contains($0) }
      guard applied(diff, to: old, from: new) == new else {
        Issue.record("seed \(seed): \(old) to \(new) by \(diff)")
        return
      }
      // Modified is what is neither deleted nor inserted, by its old and its new index.
      let stays = old.indices.filter { !diff.deletions.contains($0) }
      #expect(diff.modifications == stays.filter { modified.contains(old[$0]) })
      #expect(diff.modifications.map { old[$0] } == diff.modificationsNew.map { new[$0] })
      old = new
    }
  }
}

@Suite struct SectionsDiffTests {
  private typealias Row = (id: Int64, section: String)

  private func state(_ rows: [Row]) -> ResultsState {
    ResultsState(
      rows.map { .init(id: .int($0.id), section: .string($0.section), json: []) }, version: 1, Schema([]))
  }

  private func sections(_ rows: [Row]) -> [[Int64]] {
    state(rows).sections.map { section in section.rows.map { rows[$0].id } }
  }

  @Test func `a row that stays where it is in its section is modified, one that moves deleted and inserted`()
  {
    let diff = SectionsDiff(
      from: state([(1, "a"), (2, "a"), (3, "b")]), to: state([(1, "a"), (3, "b"), (4, "c")]),
      touched: [.int(1), .int(3)])
    #expect(diff.deletions == [.init(section: 0, row: 1)])
    #expect((diff.sectionsToDelete, diff.sectionsToInsert) == ([], [2]))
    #expect(diff.insertions == [.init(section: 2, row: 0)])
    #expect(diff.modifications == [.init(section: 0, row: 0), .init(section: 1, row: 0)])
  }

  @Test func `the rows of a section that is gone are not listed`() {
    let diff = SectionsDiff(
      from: state([(1, "a"), (2, "a"), (3, "b")]), to: state([(3, "b")]), touched: [])
    #expect((diff.sectionsToDelete, diff.deletions, diff.insertions) == ([0], [], []))
  }

  @Test(arguments: [4, 5] as [UInt64])
  func `the change makes the new sections of the old ones`(seed: UInt64) {
    var chance = SeededGenerator(seed: seed)
    var old: [Row] = []
    for _ in 0..<1_000 {
      var rows = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0.section) })
      for _ in 0..<Int.random(in: 1...4, using: &chance) {
        let id = Int64.random(in: 0..<12, using: &chance)
        let isGone = Int.random(in: 0..<3, using: &chance) == 0
        rows[id] = isGone ? nil : ["a", "b", "c", "d"].randomElement(using: &chance)
      }
      let new = rows.map { (id: $0.key, section: $0.value) }.sorted {
        ($0.section, $0.id) < ($1.section, $1.id)
      }
      let diff = SectionsDiff(from: state(old), to: state(new), touched: [])
      var result = sections(old)
      let target = sections(new)
      for path in diff.deletions.reversed() { result[path.section].remove(at: path.row) }
      for section in diff.sectionsToDelete.reversed() { result.remove(at: section) }
      for section in diff.sectionsToInsert { result.insert([], at: section) }
      for path in diff.insertions {
        result[path.section].insert(target[path.section][path.row], at: path.row)
      }
      guard result == target else {
        Issue.record("seed \(seed): \(old) to \(new)")
        return
      }
      old = new
    }
  }
}
