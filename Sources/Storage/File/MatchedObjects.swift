/// The objects that a plan matched. A class, since transactions are copied on their way to the writer, and few have one.
final class MatchedObjects: Sendable {
  /// The place of their class in the catalog of that generation.
  let table: Int
  let generation: Int64
  /// The version that they were read at, which may be one that is not published yet.
  let version: Int64
  /// Whether the same objects match for as long as none of the class changes. If not, only the first one is here.
  let isOfOneClass: Bool
  let keys: [Int64]

  init(table: Int, generation: Int64, version: Int64, isOfOneClass: Bool, keys: [Int64]) {
    self.table = table
    self.generation = generation
    self.version = version
    self.isOfOneClass = isOfOneClass
    self.keys = keys
  }
}
