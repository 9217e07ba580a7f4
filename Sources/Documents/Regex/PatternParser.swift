/// Reads PCRE's syntax into a tree.
struct PatternParser {
  /// A part of a pattern.
  indirect enum Node {
    case empty
    case scalar(Unicode.Scalar, ignoresCase: Bool)
    case set(ScalarSet)
    case any(withNewline: Bool)
    case assertion(Pattern.Assertion)
    case group(Node, Int)
    case sequence([Node])
    case alternatives([Node])
    case repeated(Node, min: Int, max: Int?, isGreedy: Bool)
  }

  struct Options: OptionSet {
    let rawValue: Int
    static let ignoresCase = Options(rawValue: 1)
    static let multiline = Options(rawValue: 2)
    static let dotMatchesNewline = Options(rawValue: 4)
    static let extended = Options(rawValue: 8)

    init(rawValue: Int) { self.rawValue = rawValue }

    init?(_ letter: Character) {
      switch letter {
      case "i": self = .ignoresCase
      case "m": self = .multiline
      case "s": self = .dotMatchesNewline
      case "x": self = .extended
      // Texts are always UTF-8.
      case "u": self = []
      default: return nil
      }
    }
  }

  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var depth = 0
  var options: Options = []
  private(set) var groupCount = 0

  static let repetitionLimit = 1_000
  static let depthLimit = 100
  /// The most quantifiers of one atom. In parentheses in each other, each of them is a level that takes some of the stack.
  static let quantifierLimit = 10

  init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

  mutating func parse() throws(DocumentsError) -> Node {
    let node = try alternatives()
    if position < scalars.count { throw invalid("unmatched closing parenthesis") }
    precondition(position == scalars.count && depth == 0, "each group that was opened is closed at the end")
    return node
  }

  private func invalid(_ reason: String) -> DocumentsError {
    .at(51091, "Regular expression is invalid: \(reason)")
  }

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func skip(_ text: String) -> Bool {
    let wanted = Array(text.unicodeScalars)
    guard scalars[position...].starts(with: wanted) else { return false }
    position += wanted.count
    return true
  }

  private mutating func alternatives() throws(DocumentsError) -> Node {
    depth += 1
    defer { depth -= 1 }
    if depth > PatternParser.depthLimit { throw invalid("parentheses are too deeply nested") }
    let outside = options
    var branches = [try sequence()]
    while skip("|") { branches.append(try sequence()) }
    options = depth == 1 ? options : outside
    return branches.count == 1 ? branches[0] : .alternatives(branches)
  }

  private mutating func sequence() throws(DocumentsError) -> Node {
    var nodes: [Node] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      if options.contains(.extended), skipBlank() { continue }
      if skip("\\Q") {
        while position < scalars.count, !skip("\\E") {
          nodes.append(.scalar(scalars[position], ignoresCase: options.contains(.ignoresCase)))
          position += 1
        }
        continue
      }
      if skip("\\E") { continue }
      guard let atom = try atom() else { continue }
      nodes.append(try quantified(atom))
    }
    return nodes.count == 1 ? nodes[0] : .sequence(nodes)
  }

  /// White space and comments, which the option `x` leaves out.
  private mutating func skipBlank() -> Bool {
    guard let scalar = next else { return false }
    if scalar == "#" {
      while let other = next, other != "\n" {
        _ = other
        position += 1
      }
      return true
    }
    guard [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20].contains(scalar.value) else { return false }
    position += 1
    return true
  }

  private mutating func quantified(_ atom: Node) throws(DocumentsError) -> Node {
    var node = atom
    for _ in 0...PatternParser.quantifierLimit {
      if options.contains(.extended) { while skipBlank() {} }
      var (least, most): (Int, Int?) = (0, nil)
      if skip("*") {
      } else if skip("+") {
        least = 1
      } else if skip("?") {
        most = 1
      } else if let bounds = try braces() {
        (least, most) = bounds
      } else {
        return node
      }
      if skip("+") { throw invalid("possessive quantifiers are not supported") }
      node = .repeated(node, min: least, max: most, isGreedy: !skip("?"))
    }
    throw invalid("quantifiers are too deeply nested")
  }

  /// `{2}`, `{2,}` or `{2,3}`; anything else is a text.
  private mutating func braces() throws(DocumentsError) -> (Int, Int?)? {
    let start = position
    guard skip("{"), let least = number() else {
      position = start
      return nil
    }
    var most: Int? = least
    if skip(",") { most = number() }
    guard skip("}") else {
      position = start
      return nil
    }
    if least > PatternParser.repetitionLimit || most ?? 0 > PatternParser.repetitionLimit {
      throw invalid("number too big in {} quantifier")
    }
    if let most, most < least { throw invalid("numbers out of order in {} quantifier") }
    return (least, most)
  }

  private mutating func number() -> Int? {
    var number: Int?
    while let scalar = next, 0x30...0x39 ~= scalar.value, number ?? 0 < 100_000 {
      number = (number ?? 0) * 10 + Int(scalar.value - 0x30)
      position += 1
    }
    return number
  }

  /// Nil where only options were set.
  private mutating func atom() throws(DocumentsError) -> Node? {
    let scalar = scalars[position]
    position += 1
    switch scalar {
    case "(": return try group()
    case "[": return .set(try bracket())
    case ".": return .any(withNewline: options.contains(.dotMatchesNewline))
    case "^": return .assertion(options.contains(.multiline) ? .lineStart : .start)
    case "$": return .assertion(options.contains(.multiline) ? .lineEnd : .lastLineEnd)
    case "\\": return try escape()
    case "*", "+", "?": throw invalid("quantifier does not follow a repeatable item")
    default: return .scalar(scalar, ignoresCase: options.contains(.ignoresCase))
    }
  }

  private mutating func group() throws(DocumentsError) -> Node? {
    if skip("?#") {
      while let scalar = next, scalar != ")" {
        _ = scalar
        position += 1
      }
      guard skip(")") else { throw invalid("missing ) after (?# comment") }
      return nil
    }
    var number: Int?
    if skip("?:") {
    } else if skip("?=") || skip("?!") || skip("?<=") || skip("?<!") {
      throw invalid("assertions that look ahead or behind are not supported")
    } else if skip("?>") {
      throw invalid("atomic groups are not supported")
    } else if skip("?P<") || skip("?<") || skip("?'") {
      while let scalar = next, scalar.isWord { position += 1 }
      guard skip(">") || skip("'") else { throw invalid("syntax error in subpattern name") }
      groupCount += 1
      number = groupCount
    } else if skip("?") {
      return try inlineOptions()
    } else {
      groupCount += 1
      number = groupCount
    }
    let node = try alternatives()
    guard skip(")") else { throw invalid("missing closing parenthesis") }
    return number.map { .group(node, $0) } ?? node
  }

  /// `(?i)`, which holds up to the end of the group, or `(?i:…)`.
  private mutating func inlineOptions() throws(DocumentsError) -> Node? {
    var changed = options
    var isOff = false
    while let scalar = next, scalar != ")", scalar != ":" {
      position += 1
      if scalar == "-" {
        isOff = true
      } else if let option = Options(Character(scalar)) {
        if isOff { changed.subtract(option) } else { changed.formUnion(option) }
      } else {
        throw invalid("unrecognized character after (?")
      }
    }
    if skip(")") {
      options = changed
      return nil
    }
    guard skip(":") else { throw invalid("missing closing parenthesis") }
    let outside = options
    options = changed
    let node = try alternatives()
    options = outside
    guard skip(")") else { throw invalid("missing closing parenthesis") }
    return node
  }

  private mutating func escape() throws(DocumentsError) -> Node {
    guard let letter = next else { throw invalid("\\ at end of pattern") }
    switch letter {
    case "b":
      position += 1
      return .assertion(.wordBoundary)
    case "B":
      position += 1
      return .assertion(.noWordBoundary)
    case "A":
      position += 1
      return .assertion(.start)
    case "z":
      position += 1
      return .assertion(.end)
    case "Z":
      position += 1
      return .assertion(.lastLineEnd)
    default: break
    }
    if let set = try classEscape() { return .set(set) }
    return .scalar(try scalarEscape(), ignoresCase: options.contains(.ignoresCase))
  }

  /// `\d` and the like, and properties of Unicode.
  private mutating func classEscape() throws(DocumentsError) -> ScalarSet? {
    guard let letter = next else { return nil }
    if letter == "p" || letter == "P" {
      position += 1
      var name = ""
      if skip("{") {
        while let scalar = next, scalar != "}" {
          name.unicodeScalars.append(scalar)
          position += 1
        }
        _ = skip("}")
      } else if let scalar = next {
        name.unicodeScalars.append(scalar)
        position += 1
      }
      let isNegated = name.hasPrefix("^") != (letter == "P")
      guard var set = ScalarSet.property(String(name.drop { $0 == "^" })) else {
        throw invalid("unknown property after \\P or \\p")
      }
      set.isNegated = isNegated
      return set
    }
    guard let set = ScalarSet.escape(letter) else { return nil }
    position += 1
    return set
  }

  private mutating func scalarEscape() throws(DocumentsError) -> Unicode.Scalar {
    guard let letter = next else { throw invalid("\\ at end of pattern") }
    position += 1
    switch letter {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "f": return "\u{C}"
    case "a": return "\u{7}"
    case "e": return "\u{1B}"
    case "0": return "\0"
    case "x": return try hexadecimal()
    case "1"..."9", "k", "g": throw invalid("back references are not supported")
    case "a"..."z", "A"..."Z": throw invalid("unrecognized character follows \\")
    default: return letter
    }
  }

  private mutating func hexadecimal() throws(DocumentsError) -> Unicode.Scalar {
    let isBraced = skip("{")
    var (number, count): (UInt32, Int) = (0, 0)
    while let scalar = next, let digit = Character(scalar).hexDigitValue, count < (isBraced ? 6 : 2) {
      number = number * 16 + UInt32(digit)
      (position, count) = (position + 1, count + 1)
    }
    if isBraced, !skip("}") { throw invalid("missing terminating } for hexadecimal escape") }
    guard let scalar = Unicode.Scalar(number) else {
      throw invalid("character code point value is too large")
    }
    return scalar
  }

  private mutating func bracket() throws(DocumentsError) -> ScalarSet {
    var set = ScalarSet()
    set.isNegated = skip("^")
    set.ignoresCase = options.contains(.ignoresCase)
    var isFirst = true
    while let scalar = next, scalar != "]" || isFirst {
      isFirst = false
      if skip("[:") {
        var name = ""
        while let letter = next, letter != ":" {
          name.unicodeScalars.append(letter)
          position += 1
        }
        let isNegated = name.hasPrefix("^")
        guard skip(":]"), var named = ScalarSet.posix(String(name.drop { $0 == "^" })) else {
          throw invalid("unknown POSIX class name")
        }
        named.isNegated = isNegated
        set.insert(named)
        continue
      }
      guard let low = try member(into: &set) else { continue }
      if position + 1 < scalars.count, scalars[position] == "-", scalars[position + 1] != "]" {
        position += 1
        guard let high = try member(into: &set) else {
          set.insert("-")
          set.insert(low)
          continue
        }
        if high < low { throw invalid("range out of order in character class") }
        set.ranges.append(low.value...high.value)
      } else {
        set.insert(low)
      }
      _ = scalar
    }
    guard skip("]") else { throw invalid("missing terminating ] for character class") }
    return set
  }

  /// The next character of a class; nil where it is a class itself, which is put into the set.
  private mutating func member(into set: inout ScalarSet) throws(DocumentsError) -> Unicode.Scalar? {
    guard let scalar = next else { throw invalid("missing terminating ] for character class") }
    position += 1
    guard scalar == "\\" else { return scalar }
    if skip("b") { return "\u{8}" }
    if let inner = try classEscape() {
      set.insert(inner)
      return nil
    }
    return try scalarEscape()
  }
}
