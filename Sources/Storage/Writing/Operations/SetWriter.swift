import GatehouseModel
import GatehouseSQLite

/// Changes members of sets: has each captured as that member, or the whole property inside an embedded object.
final class SetWriter {
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

  /// Adds the values that a set lacks.
  func unite(_ values: [DraftValue], with set: Location) throws(StorageError) {
    try capture.changeElements(of: set) { (isCaptured) throws(StorageError) in
      for value in values {
        let value = try objects.columnValue(of: value, in: locator.layout(set), of: set.holder)
        guard try member(value, of: set) == nil else { continue }
        try collections.insert([(.unordered, value)], into: set.property, of: set.holder)
        if isCaptured { try capture.didChange(.member, in: set, to: member(value, of: set)) }
      }
    }
  }

  /// Removes the values that a set has.
  func subtract(_ values: [DraftValue], from set: Location) throws(StorageError) {
    try capture.changeElements(of: set) { (isCaptured) throws(StorageError) in
      for value in values {
        let value = try objects.columnValue(of: value, in: locator.layout(set), of: set.holder)
        try remove(value, from: set, isCaptured: isCaptured)
      }
    }
  }

  /// Removes all other values of a set.
  func intersect(_ values: [DraftValue], with set: Location) throws(StorageError) {
    try capture.changeElements(of: set) { (isCaptured) throws(StorageError) in
      let layout = locator.layout(set)
      var kept: [Mixed] = []
      for value in values { kept.append(try objects.columnValue(of: value, in: layout, of: set.holder)) }
      kept.sort { MixedOrder.sortOrder($0, $1) < 0 }
      for value in try collections.members(of: set) where !kept.hasEqual(to: value) {
        try remove(value, from: set, isCaptured: isCaptured)
      }
    }
  }

  private func remove(_ value: Mixed, from set: Location, isCaptured: Bool) throws(StorageError) {
    guard let before = try member(value, of: set) else { return }
    try collections.removeMember(value, from: set)
    if isCaptured { try capture.didChange(.member, in: set, from: before) }
  }

  /// Returns the image of a value where a set has it.
  private func member(_ value: Mixed, of set: Location) throws(StorageError) -> Mixed? {
    try context.checkDeadline()
    return try images.member(value, of: set.property, in: set.holder)
  }
}

extension [Mixed] {
  /// Whether the values, which are sorted, have one that is the same to a set: found by binary search.
  fileprivate func hasEqual(to value: Mixed) -> Bool {
    var range = indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let order = MixedOrder.sortOrder(self[middle], value)
      if order == 0 { return true }
      range = order < 0 ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
    }
    return false
  }
}
