/// Where in a list each name is.
///
/// A short list is searched from its beginning: comparing short strings costs less than hashing one.
struct NameIndex: Sendable {
  private static let few = 16
  private let names: [String]
  /// For each name, its place in the list.
  private let positions: [Int]
  /// Nil: there are few.
  private let places: [String: Int]?

  /// Indexes the names, but for those at the places in `hidden`.
  init(_ names: [String], without hidden: Set<Int> = []) {
    positions = hidden.isEmpty ? Array(names.indices) : names.indices.filter { !hidden.contains($0) }
    self.names = positions.map { names[$0] }
    places =
      self.names.count <= Self.few
      ? nil : Dictionary(zip(self.names, positions).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
  }

  /// The place of the first of that name.
  func place(of name: String) -> Int? {
    if let places { return places[name] }
    for index in names.indices where names[index] == name { return positions[index] }
    return nil
  }
}
