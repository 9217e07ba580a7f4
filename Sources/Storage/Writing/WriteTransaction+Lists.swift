import Model
import SQLite

// Positions in a list's table have gaps, so that an element finds its place without moving the others:
// `ListPositions`.
extension WriteTransaction {
  func changeList(_ change: PropertyChange, at location: Location) throws(StorageError) {
    var list = location
    list.element = nil
    if location.root != nil {
      // Inside an embedded object: logged with what holds that.
      return try logged(list) { () throws(StorageError) in
        try changeElements(change, of: list, isLogged: false)
      }
    }
    try changeElements(change, of: list, isLogged: isLogged(list.property, of: list.owner))
  }

  private func changeElements(
    _ change: PropertyChange, of list: Location, isLogged: Bool
  ) throws(StorageError) {
    switch change {
    case .insert(let values, let index): try insert(values, at: index, into: list, isLogged)
    case .removeElements(let from, let count): try remove(from, count, of: list, isLogged)
    case .move(let from, let to): try move(from, to, in: list, isLogged)
    case .assign, .remove, .patch, .merge, .union, .subtract, .intersect: break
    }
  }

  private func insert(
    _ values: [DraftValue], at index: Int?, into list: Location, _ isLogged: Bool
  ) throws(StorageError) {
    guard !values.isEmpty else { return }
    let count = try locator.count(list)
    let place = index.map { $0 < 0 ? count + $0 : $0 } ?? count
    guard (0...count).contains(place) else { throw .place(.noElement) }
    let positions = try ListPositions(locator: locator, list: list).free(values.count, before: place)
    let blocks = locator.blocks(of: list)
    for (offset, value) in values.enumerated() {
      let position = positions[offset]
      try insertElement(value, at: .position(position), of: list.property, list.holder)
      guard isLogged else { continue }
      try note(
        .index(place + offset), in: list, before: nil,
        after: image(at: position, of: list.property, list.holder))
    }
    try blocks.didInsert(at: positions, count: count + values.count)
  }

  private func remove(
    _ from: Int, _ count: Int, of list: Location, _ isLogged: Bool
  ) throws(StorageError) {
    let start = try index(from, in: list)
    for _ in 0..<count {
      guard let position = try locator.position(of: start, in: list) else { throw .place(.noElement) }
      let before = isLogged ? try image(at: position, of: list.property, list.holder) : nil
      try removeEmbedded(at: position, of: list)
      try removeRow(at: position, of: list)
      if isLogged { try note(.index(start), in: list, before: before, after: nil) }
    }
  }

  /// Takes one element out, which is no embedded object.
  func removeElement(
    at position: Int64, of property: Int, _ owner: RowAddress
  ) throws(StorageError) {
    let list = Location(owner: owner, holder: owner, root: nil, property: property)
    guard try isLogged(property, of: owner) else { return try removeRow(at: position, of: list) }
    let before = try image(at: position, of: property, owner)
    let index = try locator.blocks(of: list).index(of: position)
    try removeRow(at: position, of: list)
    try note(.index(index), in: list, before: before, after: nil)
  }

  private func removeRow(at position: Int64, of list: Location) throws(StorageError) {
    let statement = try statements[list.holder.table][.removeElement(list.property)]
    statement.bind(list.holder.key, at: 1)
    statement.bind(position, at: 2)
    try run(statement)
    try locator.blocks(of: list).didRemove(at: position)
  }

  private func move(_ from: Int, _ to: Int, in list: Location, _ isLogged: Bool) throws(StorageError) {
    let count = try locator.count(list)
    let (from, to) = (from < 0 ? count + from : from, to < 0 ? count + to : to)
    guard (0..<count).contains(from), (0..<count).contains(to) else { throw .place(.noElement) }
    guard from != to else { return }
    // What makes room may move the element itself, so that it is looked up afterwards.
    let free = try ListPositions(locator: locator, list: list).free(1, before: to > from ? to + 1 : to)
    guard let position = try locator.position(of: from, in: list) else { throw .place(.noElement) }
    let statement = try statements[list.holder.table][.moveElement(list.property)]
    statement.bind(list.holder.key, at: 1)
    statement.bind(position, at: 2)
    statement.bind(free[0], at: 3)
    try run(statement)
    try locator.blocks(of: list).didMove(from: position, to: free[0])
    if isLogged { try note(.move(from: from, to: to), in: list, before: nil, after: nil) }
  }

  func replaceElement(
    _ index: Int, with value: DraftValue, at location: Location
  ) throws(StorageError) {
    guard let position = try locator.position(of: index, in: location) else { throw .place(.noElement) }
    try logged(location) { () throws(StorageError) in
      try removeEmbedded(at: position, of: location)
      try insertElement(value, at: .position(position), of: location.property, location.holder)
    }
  }

  private func index(_ index: Int, in list: Location) throws(StorageError) -> Int {
    guard index < 0 else { return index }
    let place = try locator.count(list) + index
    guard place >= 0 else { throw .place(.noElement) }
    return place
  }

  /// Takes the embedded object, if it is one, and the row itself away.
  private func removeEmbedded(at position: Int64, of list: Location) throws(StorageError) {
    guard let table = try embeddedTable(locator.layout(list)) else { return }
    let statement = try statements[list.holder.table][.elementKey(list.property)]
    statement.bind(list.holder.key, at: 1)
    statement.bind(position, at: 2)
    try removeEmbedded(table, try integers(statement))
  }

  private func note(
    _ place: ElementChange.Place, in list: Location, before: Mixed?, after: Mixed?
  ) throws(StorageError) {
    recorder.didChange(
      ElementChange(place, before: before, after: after), of: list.property, of: list.owner,
      id: try identifier(of: list.owner))
  }
}
