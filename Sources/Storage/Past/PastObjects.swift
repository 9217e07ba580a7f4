import GatehouseModel
import GatehouseSharing

/// The objects that have changed after a version, as they were at it: the log is undone from its end back.
///
/// Objects are told apart by their keys, none of which is ever given twice: one that was made anew with the primary key of
/// another is another object.
struct PastObjects {
  /// The most bytes of images that are undone for one answer.
  static let largestSize = 64 << 20
  /// The bytes that a value takes in memory for each of its image, about.
  private static let memoryPerByte = 4
  /// The bytes that an object counts for at least.
  private static let leastSize = 64

  /// By their rows the values of objects by stored names; nil: the object was not there.
  private(set) var values: [RowAddress: [String: Mixed]?] = [:]
  private var size = 0
  private let images: ImageReader
  private let memory: SharedBudget.Reservation

  /// - Parameter images: Those of a copy of the present.
  init(_ images: ImageReader, within memory: SharedBudget.Reservation) {
    self.images = images
    self.memory = memory
  }

  /// Undoes a change, which is the last that has not been.
  mutating func undo(_ change: LoggedChange, in row: RowAddress) throws {
    switch change.operation {
    case .insert: values[row] = .some(nil)
    case .delete: values[row] = entries(of: change.before)
    case .update:
      if values[row] == nil { values[row] = try presentValues(of: row) }
      guard var object = values.removeValue(forKey: row) ?? nil else { throw StorageError.corrupt("log") }
      for (name, value) in entries(of: change.before) { object[name] = value }
      for collection in change.elements {
        for element in collection.elements.reversed() { object[collection.property]?.undo(element) }
      }
      values[row] = object
    case .schema: break
    }
  }

  /// Counts bytes of images that are held. Throws ``StorageError/pastUnavailable(_:)``, and `BudgetError` where that is
  /// more than the caller's share of the memory.
  mutating func hold(_ count: Int) throws {
    size += max(count, PastObjects.leastSize)
    guard size <= PastObjects.largestSize else { throw StorageError.pastUnavailable(.tooManyChanges) }
    try memory.grow(to: size * PastObjects.memoryPerByte)
  }

  private mutating func presentValues(of row: RowAddress) throws -> [String: Mixed] {
    let image = try images.image(of: row)
    try hold(image.count)
    return entries(of: try ImageReader.value(of: image))
  }

  private func entries(of image: Mixed?) -> [String: Mixed] {
    guard case .dictionary(let entries)? = image else { return [:] }
    return Dictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}
