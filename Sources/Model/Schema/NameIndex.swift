/// Where in a list each name is.
///
/// A short list is searched from its beginning: comparing short strings costs less than hashing one.
struct NameIndex: Sendable {
  private static let few = 16
  private let names: [String]
  /// Nil: there are few.
  private let places: [String: Int]?

  init(_ names: [String]) {
    self.names = names
    places =
      names.count <= Self.few
      ? nil : Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The place of the first of that name.
  func place(of name: String) -> Int? {
    if let places { return places[name] }
    for place in names.indices where names[place] == name { return place }
    return nil
  }
}
