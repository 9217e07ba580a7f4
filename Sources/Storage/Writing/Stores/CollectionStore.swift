import GatehouseModel
import GatehouseSQLite

/// Owns the child tables of lists, sets and maps, and `_list_blocks`: their elements as columns hold them.
///
/// Positions in a list's table have gaps, so that an element finds its place without moving the others:
/// ``ListPositions``.
final class CollectionStore {
  /// Where an element stands in its collection.
  enum Place {
    case position(Int64)
    case key(String)
    case unordered
  }

  /// The most elements that one statement inserts: most of what a statement costs it costs once.
  static let largestBatch = 8

  private let statements: WriteStatements
  private let locator: Locator
  private var session: ReadSession { statements.session }

  init(_ statements: WriteStatements) {
    self.statements = statements
    locator = Locator(session: statements.session)
  }

  /// Inserts a power of two of elements, at most ``largestBatch``, with one statement.
  func insert(
    _ elements: [(place: Place, value: Mixed)], into property: Int, of row: RowAddress
  ) throws(StorageError) {
    precondition(
      elements.count.nonzeroBitCount == 1 && elements.count <= Self.largestBatch,
      "elements are inserted in as few sizes as there are statements for")
    let type = statements.layout(of: property, in: row).element ?? .mixed
    let statement = try statements[row.table][.insertElements(property, count: elements.count)]
    statement.bind(row.key, at: 1)
    var parameter: Int32 = 2
    for (place, value) in elements {
      switch place {
      case .position(let position):
        statement.bind(position, at: parameter)
        parameter += 1
      case .key(let key):
        statement.bind(key, at: parameter)
        parameter += 1
      case .unordered: break
      }
      statement.bind(value, as: type, at: parameter)
      parameter += 1
    }
    try statements.run(statement)
  }

  /// Makes the blocks of a list that was empty and has got `count` elements at their initial positions.
  func didFill(_ property: Int, of row: RowAddress, count: Int) throws(StorageError) {
    try blocks(of: property, row).buildInitial(count)
  }

  /// Removes all elements.
  func clear(_ property: Int, of row: RowAddress) throws(StorageError) {
    let statement = try statements[row.table][.clear(property)]
    statement.bind(row.key, at: 1)
    try statements.run(statement)
    if case .list = statements.layout(of: property, in: row).property.type {
      try blocks(of: property, row).clear()
    }
  }

  /// Returns the values of a collection of links or embedded objects: their object keys.
  func keys(in property: Int, of row: RowAddress) throws(StorageError) -> [Int64] {
    let statement = try statements[row.table][.elements(property)]
    statement.bind(row.key, at: 1)
    return try statements.integers(statement)
  }

  private func blocks(of property: Int, _ row: RowAddress) -> ListBlocks {
    ListBlocks(statements.layout(of: property, in: row), of: row.key, in: session)
  }

  // Entries of maps

  /// Returns the object key that a map of links or embedded objects has under a key.
  func key(at entry: String, in property: Int, of row: RowAddress) throws(StorageError) -> [Int64] {
    let statement = try statements[row.table][.entry(property)]
    statement.bind(row.key, at: 1)
    statement.bind(entry, at: 2)
    return try statements.integers(statement)
  }

  /// Removes an entry of a map, if it is there.
  func removeEntry(_ key: String, from property: Int, of row: RowAddress) throws(StorageError) {
    let statement = try statements[row.table][.removeEntry(property)]
    statement.bind(row.key, at: 1)
    statement.bind(key, at: 2)
    try statements.run(statement)
  }

  /// Makes an entry of a map of links hold null.
  func clearEntry(_ key: String, of property: Int, of row: RowAddress) throws(StorageError) {
    let statement = try statements[row.table][.nullEntry(property)]
    statement.bind(row.key, at: 1)
    statement.bind(key, at: 2)
    try statements.run(statement)
  }

  // Elements of lists

  /// Returns the object key at a position of a list of links or embedded objects.
  func key(at position: Int64, in list: Location) throws(StorageError) -> [Int64] {
    let statement = try statements[list.holder.table][.elementKey(list.property)]
    statement.bind(list.holder.key, at: 1)
    statement.bind(position, at: 2)
    return try statements.integers(statement)
  }

  /// Returns `count` free positions in front of the element at an index, which may be the number of elements.
  func freePositions(_ count: Int, before index: Int, in list: Location) throws(StorageError) -> [Int64] {
    try ListPositions(locator: locator, list: list).free(count, before: index)
  }

  /// Takes elements into the blocks of a list that have been inserted at those positions; it has `count` in all now.
  func didInsert(at positions: [Int64], into list: Location, count: Int) throws(StorageError) {
    try locator.blocks(of: list).didInsert(at: positions, count: count)
  }

  /// Removes the element at a position.
  func removeElement(at position: Int64, from list: Location) throws(StorageError) {
    let statement = try statements[list.holder.table][.removeElement(list.property)]
    statement.bind(list.holder.key, at: 1)
    statement.bind(position, at: 2)
    try statements.run(statement)
    try locator.blocks(of: list).didRemove(at: position)
  }

  /// Moves the element at a position to a free one.
  func moveElement(from old: Int64, to new: Int64, in list: Location) throws(StorageError) {
    let statement = try statements[list.holder.table][.moveElement(list.property)]
    statement.bind(list.holder.key, at: 1)
    statement.bind(old, at: 2)
    statement.bind(new, at: 3)
    try statements.run(statement)
    try locator.blocks(of: list).didMove(from: old, to: new)
  }

  // Members of sets

  /// Removes a value from a set.
  func removeMember(_ value: Mixed, from set: Location) throws(StorageError) {
    let layout = locator.layout(set)
    let statement = try session.cached(ElementStatements.removeMember(layout))
    statement.bind(set.holder.key, at: 1)
    statement.bind(value, as: layout.element ?? .mixed, at: 2)
    try statements.run(statement)
  }

  /// Returns the values of a set, links as the keys that the column has.
  func members(of set: Location) throws(StorageError) -> [Mixed] {
    let layout = locator.layout(set)
    let statement = try session.cached(ElementStatements.values(layout))
    statement.bind(set.holder.key, at: 1)
    defer { statement.reset() }
    var values: [Mixed] = []
    var type = layout.element ?? .mixed
    if case .object = type { type = .int }
    while try session.step(statement) { values.append(try statement.value(as: type, at: 0)) }
    return values
  }
}
