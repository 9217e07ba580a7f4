import GatehouseModel
import GatehouseSQLite

/// Changes elements of lists: has each captured as that element, or the whole property inside an embedded object.
final class ListWriter {
  /// A list whose elements change.
  private struct Target {
    let list: Location
    /// Whether single elements are captured; false inside an embedded object, which is captured as a whole.
    let isCaptured: Bool
  }

  private let objects: ObjectStore
  private let collections: CollectionStore
  private let images: ImageReader
  private let capture: ChangeCapture
  private let context: WriteContext
  private let locator: Locator

  init(_ parts: WriteParts) {
    context = parts.base.context
    objects = parts.objects
    collections = parts.collections
    images = parts.images
    capture = parts.capture
    locator = Locator(session: parts.base.statements.session)
  }

  /// Inserts, moves or removes elements.
  func perform(_ change: PropertyChange, at location: Location) throws(StorageError) {
    var list = location
    list.element = nil
    try capture.changeElements(of: list) { (isCaptured) throws(StorageError) in
      try perform(change, on: Target(list: list, isCaptured: isCaptured))
    }
  }

  private func perform(_ change: PropertyChange, on target: Target) throws(StorageError) {
    switch change {
    case .insert(let values, let index): try insert(values, at: index, into: target)
    case .removeElements(let from, let count): try remove(from, count, of: target)
    case .move(let from, let to): try move(from, to, in: target)
    case .assign, .remove, .patch, .merge, .union, .subtract, .intersect: break
    }
  }

  private func insert(
    _ values: [DraftValue], at index: Int?, into target: Target
  ) throws(StorageError) {
    guard !values.isEmpty else { return }
    let list = target.list
    let count = try locator.count(list)
    let place = index.map { $0 < 0 ? count + $0 : $0 } ?? count
    guard (0...count).contains(place) else { throw .place(.noElement) }
    let positions = try collections.freePositions(values.count, before: place, in: list)
    for (offset, value) in values.enumerated() {
      let position = positions[offset]
      try objects.insertElement(value, at: .position(position), into: list.property, of: list.holder)
      guard target.isCaptured else { continue }
      let after = try images.element(at: position, of: list.property, in: list.holder)
      try capture.didChange(.index(place + offset), in: list, to: after)
    }
    try collections.didInsert(at: positions, into: list, count: count + values.count)
  }

  private func remove(_ from: Int, _ count: Int, of target: Target) throws(StorageError) {
    let list = target.list
    let start = try index(from, in: list)
    for _ in 0..<count {
      try context.checkDeadline()
      guard let position = try locator.position(of: start, in: list) else { throw .place(.noElement) }
      let before =
        target.isCaptured ? try images.element(at: position, of: list.property, in: list.holder) : nil
      try objects.removeEmbedded(at: position, in: list)
      try collections.removeElement(at: position, from: list)
      if target.isCaptured { try capture.didChange(.index(start), in: list, from: before) }
    }
  }

  private func move(_ from: Int, _ to: Int, in target: Target) throws(StorageError) {
    let list = target.list
    let count = try locator.count(list)
    let (from, to) = (from < 0 ? count + from : from, to < 0 ? count + to : to)
    guard (0..<count).contains(from), (0..<count).contains(to) else { throw .place(.noElement) }
    guard from != to else { return }
    // Making room may move the element itself, so that it is looked up afterwards.
    let free = try collections.freePositions(1, before: to > from ? to + 1 : to, in: list)
    guard let position = try locator.position(of: from, in: list) else { throw .place(.noElement) }
    try collections.moveElement(from: position, to: free[0], in: list)
    if target.isCaptured { try capture.didChange(.move(from: from, to: to), in: list) }
  }

  /// Puts a value in the place of the element at an index.
  func replaceElement(
    _ index: Int, with value: DraftValue, at location: Location
  ) throws(StorageError) {
    guard let position = try locator.position(of: index, in: location) else { throw .place(.noElement) }
    try capture.change(at: location) { () throws(StorageError) in
      try objects.removeEmbedded(at: position, in: location)
      try objects.insertElement(
        value, at: .position(position), into: location.property, of: location.holder)
    }
  }

  /// Removes the element at a position of the list's table, which is no embedded object.
  func removeElement(
    at position: Int64, of property: Int, in row: RowAddress
  ) throws(StorageError) {
    let list = Location(owner: row, holder: row, root: nil, property: property)
    guard try capture.needsElements(of: property, in: row) else {
      return try collections.removeElement(at: position, from: list)
    }
    let before = try images.element(at: position, of: property, in: row)
    let index = try locator.blocks(of: list).index(of: position)
    try collections.removeElement(at: position, from: list)
    try capture.didChange(.index(index), in: list, from: before)
  }

  private func index(_ index: Int, in list: Location) throws(StorageError) -> Int {
    guard index < 0 else { return index }
    let place = try locator.count(list) + index
    guard place >= 0 else { throw .place(.noElement) }
    return place
  }
}
