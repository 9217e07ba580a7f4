extension Mixed {
  /// The places of the types among each other (C:mixed.cpp, `sorting_rank`).
  public enum Rank: Int, Hashable, Sendable {
    case null, bool, numeric, string, data, date, objectID, uuid, link, list, dictionary
  }

  /// The place of the value's type among the others.
  public var rank: Rank { type.rank }
}
