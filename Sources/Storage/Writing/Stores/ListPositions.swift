import GatehouseModel
import GatehouseSQLite

/// Finds positions for new elements of one list.
///
/// Positions are 2^32 apart where elements were appended or put in front, so that 32 can be put in the same place
/// one after the other before the elements around it must be spread anew: so many of them as give each 2^16.
struct ListPositions {
  static let distance: Int64 = 1 << 32
  private static let closest: Int64 = 1 << 16
  /// Nothing is put further out: a list that has come there, as one does whose elements were often put in front, or taken
  /// away there while others were appended, is numbered anew.
  private static let furthest: Int64 = 1 << 60
  /// Where elements wait while they are spread, far from all others.
  private static let parking: Int64 = 1 << 61

  let locator: Locator
  let list: Location

  /// The position of the element at an index of a list that is written as a whole.
  static func initial(_ index: Int) -> Int64 { Int64(index) * distance }

  /// Returns `count` free positions in front of the element at `index`, or at the end.
  func free(_ count: Int, before index: Int) throws(StorageError) -> [Int64] {
    precondition(count > 0 && index >= 0, "room is made for elements, at a place of the list")
    if let free = try near(count, before: index) { return free }
    try renumber()
    guard let free = try near(count, before: index) else { throw .corrupt("positions of a list") }
    return free
  }

  /// Returns free positions; nil: they, or elements around them, would be too far out.
  private func near(_ count: Int, before index: Int) throws(StorageError) -> [Int64]? {
    guard count < Self.furthest / Self.distance else { return nil }
    let room = Int64(count) * Self.distance
    guard let next = try locator.position(of: index, in: list) else {
      let last = try locator.position(of: -1, in: list) ?? -Self.distance
      guard Self.isNear(last), Self.isNear(last + room) else { return nil }
      return (0..<count).map { last + Int64($0 + 1) * Self.distance }
    }
    guard Self.isNear(next) else { return nil }
    guard let previous = try predecessor(of: next) else {
      guard Self.isNear(next - room) else { return nil }
      return (0..<count).map { next - Int64(count - $0) * Self.distance }
    }
    guard Self.isNear(previous) else { return nil }
    if let free = Self.positions(count, between: previous, and: next) { return free }
    return try spread(after: previous, from: next, count)
  }

  private static func isNear(_ position: Int64) -> Bool { (-furthest...furthest).contains(position) }

  /// Puts all elements where those of a list are that is written as a whole.
  private func renumber() throws(StorageError) {
    try move(positions(from: .min, limit: nil)) { Self.initial($0) }
    try locator.blocks(of: list).didSpread(after: ListBlocks.start, before: nil)
  }

  private static func positions(_ count: Int, between low: Int64, and high: Int64) -> [Int64]? {
    let step = (high - low) / Int64(count + 1)
    return step >= 1 ? (1...count).map { low + Int64($0) * step } : nil
  }

  private func predecessor(of position: Int64) throws(StorageError) -> Int64? {
    let statement = try locator.session.cached(ElementStatements.positionBefore(locator.layout(list)))
    statement.bind(list.holder.key, at: 1)
    statement.bind(position, at: 2)
    return try locator.session.integer(statement)
  }

  /// Moves elements from `next` on apart, as few as will do, and gives the room in front of them.
  private func spread(after low: Int64, from next: Int64, _ count: Int) throws(StorageError) -> [Int64]? {
    var window = 64
    while true {
      let moved = try positions(from: next, limit: window + 1)
      let isAll = moved.count <= window
      let elements = isAll ? moved : Array(moved.dropLast())
      let slots = Int64(elements.count + count + 1)
      let high = isAll ? low + slots * Self.distance : moved[window]
      guard Self.isNear(high) else { return nil }
      let step = (high - low) / slots
      if isAll || step >= Self.closest {
        try move(elements) { low + Int64($0 + count + 1) * step }
        try locator.blocks(of: list).didSpread(after: low, before: isAll ? nil : high)
        return (0..<count).map { low + Int64($0 + 1) * step }
      }
      window *= 4
    }
  }

  private func positions(from first: Int64, limit: Int?) throws(StorageError) -> [Int64] {
    let statement = try locator.session.cached(ElementStatements.positions(locator.layout(list)))
    statement.bind(list.holder.key, at: 1)
    statement.bind(first, at: 2)
    statement.bind(limit.map { Int64($0) } ?? -1, at: 3)
    defer { statement.reset() }
    var positions: [Int64] = []
    while try locator.session.step(statement) { positions.append(statement.int64(at: 0)) }
    return positions
  }

  /// A position must be free at every moment, hence the way by the parking place.
  private func move(_ positions: [Int64], _ target: (Int) -> Int64) throws(StorageError) {
    let statement = try locator.session.cached(ElementStatements.move(locator.layout(list)))
    let update = { (from: Int64, to: Int64) throws(StorageError) in
      statement.bind(list.holder.key, at: 1)
      statement.bind(from, at: 2)
      statement.bind(to, at: 3)
      while try locator.session.step(statement) {}
    }
    for (index, position) in positions.enumerated() { try update(position, Self.parking + Int64(index)) }
    for index in positions.indices { try update(Self.parking + Int64(index), target(index)) }
  }
}
