/// The words that a TEXT search asks for, folded as the index folds them.
public struct FullTextQuery: Hashable, Sendable {
  /// One word of the search.
  public struct Word: Hashable, Sendable {
    /// Folded: lower case, without diacritics.
    public let text: String
    /// Whether words that begin with ``text`` count as well.
    public let isPrefix: Bool

    package init(text: String, isPrefix: Bool) {
      self.text = text
      self.isPrefix = isPrefix
    }
  }

  /// How many words one search may have.
  public static let wordLimit = 200

  /// All of them must occur.
  public let included: [Word]
  /// None of them may occur.
  public let excluded: [Word]

  package init(included: [Word], excluded: [Word]) {
    precondition(
      1...Self.wordLimit ~= included.count + excluded.count,
      "a search has words, and a bounded number of them")
    self.included = included
    self.excluded = excluded
  }
}
