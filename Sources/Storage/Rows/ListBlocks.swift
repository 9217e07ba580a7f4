import GatehouseModel
import GatehouseSQLite

/// Finds elements of one list by index, and counts them, without going through it from its first element.
///
/// A B-tree does not know how many entries it has in front of one. So long lists are counted in blocks of 256 to 512
/// elements: a row `(list, owner, position, elements)` of `_list_blocks` says that so many elements stand at positions
/// from `position` up to that of the next block. The first block of a list begins at ``start``. An index in a list of
/// 100,000 elements costs a look at some hundred blocks, and at some hundred elements of one.
///
/// Lists that never had more than ``largest`` elements have no blocks.
struct ListBlocks {
  /// Elements of a new block.
  static let size = 256
  /// A block with more elements is divided.
  static let largest = 512
  /// Where the first block begins.
  static let start = Int64.min
  /// The numbers of elements of a block: no sum of such numbers overflows. A damaged file may hold any number.
  private static let countable: ClosedRange<Int64> = 0...1 << 40

  let session: ReadSession
  let layout: PropertyLayout
  let owner: Int64

  init(_ layout: PropertyLayout, of owner: Int64, in session: ReadSession) {
    self.session = session
    self.layout = layout
    self.owner = owner
  }

  /// The position that an element has in the list's table; negative counts from the end; nil: the list is not so long.
  func position(of index: Int) throws(StorageError) -> Int64? {
    let isFromEnd = index < 0
    let distance = isFromEnd ? -1 - index : index
    guard distance >= Self.largest else { return try position(distance, isFromEnd: isFromEnd, in: nil) }
    var rest = distance
    let statement = try bound(isFromEnd ? ListBlockStatements.fromEnd : ListBlockStatements.fromStart)
    defer { statement.reset() }
    var isEmpty = true
    while try session.step(statement) {
      isEmpty = false
      let (start, elements) = (statement.int64(at: 0), try countable(statement.int64(at: 1)))
      if rest < elements {
        return try position(isFromEnd ? elements - 1 - rest : rest, isFromEnd: false, in: start)
      }
      rest -= elements
    }
    return isEmpty ? try position(distance, isFromEnd: isFromEnd, in: nil) : nil
  }

  /// How many elements there are; nil where the list has no blocks.
  var count: Int? {
    get throws(StorageError) {
      let statement = try bound(ListBlockStatements.count)
      guard let count = try session.integer(statement) else { return nil }
      return try countable(count)
    }
  }

  /// How many elements are in front of the one at that position.
  func index(of position: Int64) throws(StorageError) -> Int {
    let blocks = try bound(ListBlockStatements.upTo)
    blocks.bind(position, at: 3)
    var (index, start, last) = (0, Self.start, 0)
    while try session.step(blocks) {
      index += last
      (start, last) = (blocks.int64(at: 0), try countable(blocks.int64(at: 1)))
    }
    let statement = try session.cached(ElementStatements.countBetween(layout))
    statement.bind(owner, at: 1)
    statement.bind(start, at: 2)
    statement.bind(position, at: 3)
    return index + Int(try session.integer(statement) ?? 0)
  }

  private func countable(_ elements: Int64) throws(StorageError) -> Int {
    guard Self.countable.contains(elements) else { throw .corrupt("blocks of a list") }
    return Int(elements)
  }

  private func position(
    _ distance: Int, isFromEnd: Bool, in block: Int64?
  ) throws(StorageError) -> Int64? {
    let statement = try session.cached(
      isFromEnd ? ElementStatements.positionFromEnd(layout) : ElementStatements.positionFromStart(layout))
    statement.bind(owner, at: 1)
    statement.bind(Int64(distance), at: 2)
    statement.bind(block ?? Self.start, at: 3)
    return try session.integer(statement)
  }

  /// A statement whose `?1` is the list and whose `?2` is the owner.
  func bound(_ sql: String) throws(StorageError) -> Statement {
    let statement = try session.cached(sql)
    statement.bind(layout.name ?? "", at: 1)
    statement.bind(owner, at: 2)
    return statement
  }
}
