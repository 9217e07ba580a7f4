import GatehouseModel
import GatehouseSQLite

extension ListBlocks {
  /// Elements are at those positions now that were free before. `count` is how many there are in all.
  func didInsert(at positions: [Int64], count: Int) throws(StorageError) {
    var starts: [Int64] = []
    for position in positions {
      // Either all of a list is in blocks, or nothing of it.
      guard let start = try add(1, at: position) else { return count > Self.largest ? try build() : () }
      if starts.last != start { starts.append(start) }
    }
    for start in starts { try divide(start) }
  }

  /// There is no element any more at that position.
  func didRemove(at position: Int64) throws(StorageError) {
    guard let start = try add(-1, at: position) else { return }
    try join(start)
  }

  func didMove(from old: Int64, to new: Int64) throws(StorageError) {
    guard let left = try add(-1, at: old), let entered = try add(1, at: new) else { return }
    // Not before both are counted, as blocks are divided by the elements that they have.
    try divide(entered)
    try join(left)
  }

  /// Elements between those two positions (nil: up to the end) have moved, without passing each other.
  func didSpread(after low: Int64, before high: Int64?) throws(StorageError) {
    let end = high ?? .max
    let inside = try bound(ListBlockStatements.countBetween)
    inside.bind(low, at: 3)
    inside.bind(end, at: 4)
    guard let elements = try session.integer(inside) else { return }
    let removal = try bound(ListBlockStatements.removeBetween)
    removal.bind(low, at: 3)
    removal.bind(end, at: 4)
    try run(removal)
    if let start = try add(elements, at: low) { try divide(start) }
  }

  /// The list has no elements any more.
  func clear() throws(StorageError) {
    try run(try bound(ListBlockStatements.clear))
  }

  /// The list has so many elements, all at their initial positions, and no blocks yet.
  func buildInitial(_ count: Int) throws(StorageError) {
    guard count > Self.largest else { return }
    for first in stride(from: 0, to: count, by: Self.size) {
      let start = first == 0 ? Self.start : ListPositions.initial(first)
      try insert(start, Int64(min(Self.size, count - first)))
    }
  }

  private func build() throws(StorageError) {
    let statement = try session.cached(ElementStatements.count(layout))
    statement.bind(owner, at: 1)
    try insert(Self.start, try session.integer(statement) ?? 0)
    try divide(Self.start)
  }

  /// Counts elements in the block that has the position, and says where that begins; nil where there is none.
  private func add(_ elements: Int64, at position: Int64) throws(StorageError) -> Int64? {
    let statement = try bound(ListBlockStatements.add)
    statement.bind(position, at: 3)
    statement.bind(elements, at: 4)
    var start: Int64?
    while try session.step(statement) { start = statement.int64(at: 0) }
    return start
  }

  /// Makes several blocks of one that has become too large.
  private func divide(_ start: Int64) throws(StorageError) {
    guard let elements = try elements(in: start), elements > Self.largest else { return }
    let parts = Int(elements) / Self.size
    precondition(parts > 1, "a block that is divided has elements for two")
    let share = Int(elements) / parts
    let statement = try session.cached(ElementStatements.positions(layout))
    statement.bind(owner, at: 1)
    statement.bind(start, at: 2)
    statement.bind(Int64(share * (parts - 1) + 1), at: 3)
    var (starts, number): ([Int64], Int) = ([], 0)
    while try session.step(statement) {
      if number > 0, number.isMultiple(of: share) { starts.append(statement.int64(at: 0)) }
      number += 1
    }
    guard starts.count == parts - 1 else { throw .corrupt("blocks of a list") }
    try set(start, Int64(share))
    for start in starts.dropLast() { try insert(start, Int64(share)) }
    try insert(starts[parts - 2], elements - Int64(share * (parts - 1)))
  }

  /// Adds a block that has become small to the one in front of it.
  private func join(_ start: Int64) throws(StorageError) {
    guard start != Self.start, let elements = try elements(in: start), elements < Self.size / 4 else {
      return
    }
    let removal = try bound(ListBlockStatements.remove)
    removal.bind(start, at: 3)
    try run(removal)
    if let joined = try add(elements, at: start) { try divide(joined) }
  }

  private func elements(in start: Int64) throws(StorageError) -> Int64? {
    let statement = try bound(ListBlockStatements.elements)
    statement.bind(start, at: 3)
    return try session.integer(statement)
  }

  private func insert(_ start: Int64, _ elements: Int64) throws(StorageError) {
    let statement = try bound(ListBlockStatements.insert)
    statement.bind(start, at: 3)
    statement.bind(elements, at: 4)
    try run(statement)
  }

  private func set(_ start: Int64, _ elements: Int64) throws(StorageError) {
    let statement = try bound(ListBlockStatements.set)
    statement.bind(start, at: 3)
    statement.bind(elements, at: 4)
    try run(statement)
  }

  private func run(_ statement: Statement) throws(StorageError) {
    while try session.step(statement) {}
  }
}
