/// A class of characters, such as `[a-z_]` or `\d`.
struct ScalarSet: Sendable {
  var ranges: [ClosedRange<UInt32>] = []
  var categories: [@Sendable (Unicode.Scalar) -> Bool] = []
  var isNegated = false
  var ignoresCase = false

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    var isInside = containsExactly(scalar)
    if !isInside, ignoresCase {
      isInside = containsExactly(scalar.folded) || containsExactly(scalar.upperCase)
    }
    return isInside != isNegated
  }

  private func containsExactly(_ scalar: Unicode.Scalar) -> Bool {
    for range in ranges where range.contains(scalar.value) { return true }
    for category in categories where category(scalar) { return true }
    return false
  }

  mutating func insert(_ scalar: Unicode.Scalar) { ranges.append(scalar.value...scalar.value) }

  mutating func insert(_ other: ScalarSet) {
    if other.isNegated {
      categories.append { other.contains($0) }
    } else {
      ranges += other.ranges
      categories += other.categories
    }
  }

  /// The class of a letter after a backslash: ASCII only, as PCRE has it where nothing else is asked for.
  static func escape(_ letter: Unicode.Scalar) -> ScalarSet? {
    var set = ScalarSet()
    switch letter {
    case "d", "D": set.ranges = [0x30...0x39]
    case "w", "W": set.ranges = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
    case "s", "S": set.ranges = [0x09...0x0D, 0x20...0x20]
    case "h", "H":
      set.ranges = [
        0x09...0x09, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000,
      ]
    case "v", "V": set.ranges = [0x0A...0x0D, 0x85...0x85, 0x2028...0x2029]
    case "N": (set.ranges, set.isNegated) = ([0x0A...0x0A], true)
    default: return nil
    }
    if letter.value < 0x5B, letter != "N" { set.isNegated = true }
    return set
  }

  /// The class of a name of POSIX, as in `[[:alpha:]]`.
  static func posix(_ name: String) -> ScalarSet? {
    let ranges: [String: [ClosedRange<UInt32>]] = [
      "alpha": [0x41...0x5A, 0x61...0x7A], "digit": [0x30...0x39],
      "alnum": [0x30...0x39, 0x41...0x5A, 0x61...0x7A], "upper": [0x41...0x5A], "lower": [0x61...0x7A],
      "space": [0x09...0x0D, 0x20...0x20], "blank": [0x09...0x09, 0x20...0x20],
      "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E],
      "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66], "cntrl": [0...0x1F, 0x7F...0x7F],
      "print": [0x20...0x7E], "graph": [0x21...0x7E], "ascii": [0...0x7F],
      "word": [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A],
    ]
    return ranges[name].map { ScalarSet(ranges: $0) }
  }

  /// The class of a property of Unicode, as in `\p{Lu}`: general categories, and their groups by one letter.
  static func property(_ name: String) -> ScalarSet? {
    if name == "Any" { return ScalarSet(ranges: [0...0x10FFFF]) }
    let names = Set(generalCategories.values)
    guard names.contains(name) || names.contains(where: { name.utf8.count == 1 && $0.hasPrefix(name) }) else {
      return nil
    }
    return ScalarSet(categories: [
      { scalar in generalCategories[scalar.properties.generalCategory].map { $0.hasPrefix(name) } ?? false }
    ])
  }

  private static let generalCategories: [Unicode.GeneralCategory: String] = [
    .uppercaseLetter: "Lu", .lowercaseLetter: "Ll", .titlecaseLetter: "Lt", .modifierLetter: "Lm",
    .otherLetter: "Lo", .nonspacingMark: "Mn", .spacingMark: "Mc", .enclosingMark: "Me",
    .decimalNumber: "Nd", .letterNumber: "Nl", .otherNumber: "No", .connectorPunctuation: "Pc",
    .dashPunctuation: "Pd", .openPunctuation: "Ps", .closePunctuation: "Pe", .initialPunctuation: "Pi",
    .finalPunctuation: "Pf", .otherPunctuation: "Po", .mathSymbol: "Sm", .currencySymbol: "Sc",
    .modifierSymbol: "Sk", .otherSymbol: "So", .spaceSeparator: "Zs", .lineSeparator: "Zl",
    .paragraphSeparator: "Zp", .control: "Cc", .format: "Cf", .surrogate: "Cs", .privateUse: "Co",
    .unassigned: "Cn",
  ]
}

extension Unicode.Scalar {
  /// The lower case, where it is one scalar.
  var folded: Unicode.Scalar {
    if value < 0x80 { return 0x41...0x5A ~= value ? Unicode.Scalar(UInt8(value + 0x20)) : self }
    let lower = properties.lowercaseMapping.unicodeScalars
    return lower.count == 1 ? lower.first ?? self : self
  }

  /// The upper case, where it is one scalar.
  var upperCase: Unicode.Scalar {
    let upper = properties.uppercaseMapping.unicodeScalars
    return upper.count == 1 ? upper.first ?? self : self
  }

  /// A letter, digit or underscore of ASCII.
  var isWord: Bool {
    switch value {
    case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
    default: false
    }
  }
}
