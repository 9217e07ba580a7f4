import Model
import SQLite

// A mixed value is one value of its column: what is nested in it is changed there and written back.
extension WriteTransaction {
  /// Changes what is at the place; `body` makes nil of what is to be taken out.
  func changeMixed(
    at location: Location, _ body: (inout Mixed?) throws(StorageError) -> Void
  ) throws(StorageError) {
    var place = location
    place.nested = []
    guard var value = try locator.stored(at: place) else { throw .place(.wrongKind) }
    try value.change(location.nested[...], body)
    let changed = value
    try logged(place) { () throws(StorageError) in try write(changed, at: place) }
  }

  private func write(_ value: Mixed, at place: Location) throws(StorageError) {
    switch place.element {
    case nil:
      let statement = try statements[place.holder.table][.assign(place.property)]
      statement.bind(value, as: .mixed, at: 1)
      statement.bind(place.holder.key, at: 2)
      try run(statement)
    case .key(let key)?: try insert([(.key(key), value)], of: place.property, place.holder)
    case .index(let index)?:
      guard let position = try locator.position(of: index, in: place) else { throw .place(.noElement) }
      try insert([(.position(position), value)], of: place.property, place.holder)
    }
  }

  func mergeMixed(
    _ entries: [DraftValue.Entry], _ uniquing: PropertyChange.Uniquing, into location: Location
  ) throws(StorageError) {
    guard case .dictionary = try locator.value(at: location) else { throw .place(.wrongKind) }
    for entry in entries {
      var place = location
      place.nested.append(entry.key)
      if uniquing != .new, try locator.exists(place) {
        guard uniquing == .old else { throw .place(.entryExists) }
        continue
      }
      let value = try stored(entry.value, in: locator.layout(location), of: location.holder)
      try changeMixed(at: place) { $0 = value }
    }
  }

  func changeMixedList(_ change: PropertyChange, at location: Location) throws(StorageError) {
    var new: [Mixed] = []
    if case .insert(let values, _) = change {
      for value in values { new.append(try stored(value, in: locator.layout(location), of: location.holder)) }
    }
    try changeMixed(at: location) { (value) throws(StorageError) in
      guard case .list(var values)? = value else { throw .place(.wrongKind) }
      try Self.change(&values, change, new)
      value = .list(values)
    }
  }

  private static func change(
    _ values: inout [Mixed], _ change: PropertyChange, _ new: [Mixed]
  ) throws(StorageError) {
    let count = values.count
    let place = { (index: Int) in index < 0 ? count + index : index }
    switch change {
    case .insert(_, let index):
      let index = index.map(place) ?? count
      guard (0...count).contains(index) else { throw .place(.noElement) }
      values.insert(contentsOf: new, at: index)
    case .move(let from, let to):
      let (from, to) = (place(from), place(to))
      guard (0..<count).contains(from), (0..<count).contains(to) else { throw .place(.noElement) }
      values.insert(values.remove(at: from), at: to)
    case .removeElements(let from, let length):
      let from = place(from)
      guard from >= 0, length <= count - from else { throw .place(.noElement) }
      values.removeSubrange(from..<(from + length))
    case .assign, .remove, .patch, .merge, .union, .subtract, .intersect: break
    }
  }
}
