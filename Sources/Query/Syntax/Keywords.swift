/// The words of the language that look like names.
enum Keywords {
  /// The word that those bytes are, or nil where they are a plain name.
  static func kind(of word: ArraySlice<UInt8>) -> Token.Kind? {
    guard 2...14 ~= word.count else { return nil }
    let packed = PackedWord(word)
    let lower = packed.lowercased
    // If two words differ in case only, neither or both are in the table.
    var place = lower.bucket
    while let entry = table[place] {
      if entry.word == lower {
        return entry.spellings.isEmpty || entry.spellings.contains(packed) ? entry.kind : nil
      }
      place = (place + 1) & (table.count - 1)
    }
    return nil
  }

  private struct Entry {
    let word: PackedWord
    let kind: Token.Kind
    /// In which spellings it counts; none: in all.
    let spellings: [PackedWord]
  }

  private static let words: [(String, Token.Kind)] = [
    ("and", .and), ("or", .or), ("beginswith", .beginsWith), ("endswith", .endsWith), ("contains", .contains),
    ("like", .like), ("text", .text), ("between", .between), ("geowithin", .geoWithin),
    ("truepredicate", .truePredicate), ("falsepredicate", .falsePredicate), ("subquery", .subquery),
    ("sort", .sort), ("distinct", .distinct), ("limit", .limit), ("obj", .obj), ("bin", .binary),
    ("binary", .binary), ("geobox", .geoBox), ("geopolygon", .geoPolygon), ("geocircle", .geoCircle),
    ("ascending", .ascending), ("asc", .ascending), ("descending", .descending), ("desc", .descending),
    ("null", .null), ("nil", .null), ("inf", .infinity), ("infinity", .infinity), ("nan", .nan),
  ]

  /// These count in lower case and in upper case only.
  private static let strictWords: [(String, Token.Kind)] = [
    ("not", .not), ("in", .in), ("any", .any), ("some", .any), ("all", .all), ("none", .none),
    ("first", .first), ("last", .last), ("size", .size), ("true", .true), ("false", .false),
  ]

  /// Open addressing over four times as many places as words.
  private static let table: [Entry?] = {
    var table = [Entry?](repeating: nil, count: 256)
    let entries =
      words.map { Entry(word: PackedWord($0.0), kind: $0.1, spellings: []) }
      + strictWords.map { word, kind in
        Entry(
          word: PackedWord(word), kind: kind, spellings: [PackedWord(word), PackedWord(word.uppercased())])
      }
    for entry in entries {
      var place = entry.word.bucket
      while table[place] != nil { place = (place + 1) & 255 }
      table[place] = entry
    }
    return table
  }()
}

/// Up to sixteen bytes as two numbers, so that looking up a word allocates nothing.
private struct PackedWord: Equatable {
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  init<Bytes: Sequence<UInt8>>(_ bytes: Bytes) {
    for byte in bytes {
      high = high << 8 | low >> 56
      low = low << 8 | UInt64(byte)
    }
  }

  init(_ text: String) {
    self.init(text.utf8)
  }

  /// Where in a table of 256 places to look first.
  var bucket: Int {
    Int(truncatingIfNeeded: ((low ^ high &* 31) &* 0x9E37_79B9_7F4A_7C15) >> 56)
  }

  /// Lower case in place of the ASCII capitals.
  var lowercased: PackedWord {
    var word = self
    word.high = Self.lowered(high)
    word.low = Self.lowered(low)
    return word
  }

  /// Eight bytes at once: adding 0x3F and 0x25 to a byte below 0x80 sets its top bit from `A` and from `[` on.
  private static func lowered(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops = ones &* 0x80
    let low7 = word & ~tops
    let fromA = low7 &+ ones &* 0x3F
    let beyondZ = low7 &+ ones &* 0x25
    let isCapital = fromA & ~beyondZ & ~word & tops
    return word | isCapital >> 2
  }
}
