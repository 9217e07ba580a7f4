package import Model

/// String operators on strings and data; the two never match each other.
package enum TextMatch {
  package static func equalFolded(_ left: Mixed, _ right: Mixed) -> Bool {
    if case .null = left, case .null = right { return true }
    return test(left, right, caseSensitive: false) { $0 == $1 }
  }

  /// Null begins nothing, and nothing begins with null.
  package static func begins(_ text: Mixed, _ part: Mixed, caseSensitive: Bool) -> Bool {
    if caseSensitive, case .string(let text) = text, case .string(let part) = part {
      return begins(text, part)
    }
    return test(text, part, caseSensitive: caseSensitive) { $0.starts(with: $1) }
  }

  private static func begins(_ text: String, _ part: String) -> Bool {
    let (text, part) = (text.utf8Span.span, part.utf8Span.span)
    if part.count > text.count { return false }
    for index in part.indices where text[index] != part[index] { return false }
    return true
  }

  package static func ends(_ text: Mixed, _ part: Mixed, caseSensitive: Bool) -> Bool {
    test(text, part, caseSensitive: caseSensitive) { $0.reversed().starts(with: $1.reversed()) }
  }

  /// Whatever is not null contains null.
  package static func contains(_ text: Mixed, _ part: Mixed, caseSensitive: Bool) -> Bool {
    if case .null = part { return text != .null }
    return test(text, part, caseSensitive: caseSensitive) { Self.contains($0, $1) }
  }

  /// Null is like null only.
  package static func like(_ text: Mixed, _ pattern: Mixed, caseSensitive: Bool) -> Bool {
    if case .null = pattern { return text == .null }
    return test(text, pattern, caseSensitive: caseSensitive) { Self.isLike($0, $1) }
  }

  private static func test(
    _ left: Mixed, _ right: Mixed, caseSensitive: Bool, _ holds: ([UInt8], [UInt8]) -> Bool
  ) -> Bool {
    switch (left, right) {
    case (.string(let left), .string(let right)):
      holds(bytes(Array(left.utf8), caseSensitive), bytes(Array(right.utf8), caseSensitive))
    case (.data(let left), .data(let right)):
      holds(bytes(left, caseSensitive), bytes(right, caseSensitive))
    default: false
    }
  }

  private static func bytes(_ bytes: [UInt8], _ caseSensitive: Bool) -> [UInt8] {
    caseSensitive ? bytes : folded(bytes)
  }

  package static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    guard let first = part.first else { return true }
    if part.count > text.count { return false }
    for start in 0...(text.count - part.count) where text[start] == first {
      if text[start..<(start + part.count)].elementsEqual(part) { return true }
    }
    return false
  }

  /// Whether the whole text matches a pattern in which `*` is any run and `?` one character; backtracks to the
  /// last `*` only, so the time is at most the product of the lengths.
  package static func isLike(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
    var (place, part) = (0, 0)
    var retry: (place: Int, part: Int)?
    while place < text.count {
      if part < pattern.count, pattern[part] == UInt8(ascii: "*") {
        part += 1
        retry = (place, part)
      } else if part < pattern.count, pattern[part] == UInt8(ascii: "?") {
        place = next(text, place)
        part += 1
      } else if part < pattern.count, pattern[part] == text[place] {
        place += 1
        part += 1
      } else if let last = retry {
        place = next(text, last.place)
        part = last.part
        retry = (place, part)
      } else {
        return false
      }
    }
    return pattern[part...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  /// Where the character after the one at `place` begins.
  private static func next(_ text: [UInt8], _ place: Int) -> Int {
    var place = place + 1
    while place < text.count, text[place] & 0xC0 == 0x80 { place += 1 }
    return place
  }

  /// Makes lower case of ASCII letters and of the capitals of the Latin-1 supplement, and of nothing else
  /// (realm-core's `unicode.cpp`, `case_map`).
  package static func folded(_ bytes: [UInt8]) -> [UInt8] {
    var folded = bytes
    var lead: UInt8 = 0
    for index in folded.indices {
      let byte = folded[index]
      if 0x41...0x5A ~= byte || lead == 0xC3 && 0x80...0x9E ~= byte && byte != 0x97 {
        folded[index] = byte + 0x20
      }
      lead = byte
    }
    return folded
  }
}
