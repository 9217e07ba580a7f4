/// The words of the language that look like names.
enum Keywords {
  /// The word that those bytes are, or nil where they are a plain name.
  static func kind(of word: ArraySlice<UInt8>) -> Token.Kind? {
    guard 2...14 ~= word.count else { return nil }
    var packed = PackedWord(word)
    if let kind = sensitive[packed] { return kind }
    packed.lowercase()
    return insensitive[packed]
  }

  private static let insensitive = table([
    "and": .and, "or": .or, "beginswith": .beginsWith, "endswith": .endsWith, "contains": .contains,
    "like": .like, "text": .text, "between": .between, "geowithin": .geoWithin,
    "truepredicate": .truePredicate, "falsepredicate": .falsePredicate, "subquery": .subquery,
    "sort": .sort, "distinct": .distinct, "limit": .limit, "obj": .obj, "bin": .binary, "binary": .binary,
    "geobox": .geoBox, "geopolygon": .geoPolygon, "geocircle": .geoCircle, "ascending": .ascending,
    "asc": .ascending, "descending": .descending, "desc": .descending, "null": .null, "nil": .null,
    "inf": .infinity, "infinity": .infinity, "nan": .nan,
  ])

  private static let sensitive = table([
    "not": .not, "NOT": .not, "in": .in, "IN": .in, "any": .any, "ANY": .any, "some": .any, "SOME": .any,
    "all": .all, "ALL": .all, "none": .none, "NONE": .none, "FIRST": .first, "first": .first, "LAST": .last,
    "last": .last, "SIZE": .size, "size": .size, "true": .true, "TRUE": .true, "false": .false,
    "FALSE": .false,
  ])

  private static func table(_ words: [String: Token.Kind]) -> [PackedWord: Token.Kind] {
    Dictionary(uniqueKeysWithValues: words.map { (PackedWord(Array($0.key.utf8)[...]), $0.value) })
  }
}

/// Up to sixteen bytes as two numbers, so that looking up a word allocates nothing.
private struct PackedWord: Hashable {
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  init(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      high = high << 8 | low >> 56
      low = low << 8 | UInt64(byte)
    }
  }

  /// Makes lower case of the ASCII capitals.
  mutating func lowercase() {
    high = Self.lowered(high)
    low = Self.lowered(low)
  }

  private static func lowered(_ word: UInt64) -> UInt64 {
    var result = word
    for shift in stride(from: 0, to: 64, by: 8) where 0x41...0x5A ~= UInt8(truncatingIfNeeded: word >> shift)
    {
      result |= 0x20 << shift
    }
    return result
  }
}
