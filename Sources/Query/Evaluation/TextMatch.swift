package import GatehouseModel

/// String operators on strings and data; the two never match each other.
package enum TextMatch {
  /// Compares without regard to case; values without case are equal if they are otherwise.
  package static func equalFolded(_ left: Mixed, _ right: Mixed) -> Bool {
    switch (left, right) {
    case (.string, .string), (.data, .data): test(left, right, caseSensitive: false) { $0 == $1 }
    default: MixedOrder.isEqual(left, right)
    }
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

  /// Returns whether a text contains a part; every value but null contains null.
  package static func contains(_ text: Mixed, _ part: Mixed, caseSensitive: Bool) -> Bool {
    if case .null = part { return text != .null }
    return test(text, part, caseSensitive: caseSensitive) { Self.contains($0, $1) }
  }

  /// Null is like null only.
  package static func like(
    _ text: Mixed, _ pattern: Mixed, caseSensitive: Bool, mustStop: () -> Bool = { false }
  ) -> Bool {
    if case .null = pattern { return text == .null }
    return test(text, pattern, caseSensitive: caseSensitive) { Self.isLike($0, $1, mustStop: mustStop) }
  }

  private static func test(
    _ left: Mixed, _ right: Mixed, caseSensitive: Bool, where holds: ([UInt8], [UInt8]) -> Bool
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
    SubstringSearch(part).first(in: text, from: 0) != nil
  }

  /// Whether the whole text matches a pattern in which `*` is any run and `?` one character.
  ///
  /// Only the last `*` is gone back to, so that the time is at most the product of the lengths. Where that is much, a
  /// pattern without `?` takes their sum, and with one `mustStop` is asked from time to time; what it stops holds not.
  package static func isLike(
    _ text: [UInt8], _ pattern: [UInt8], mustStop: () -> Bool = { false }
  ) -> Bool {
    if text.count > 1 << 16 / max(pattern.count, 1), !pattern.contains(UInt8(ascii: "?")) {
      let parts = pattern.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
      // In data a part may begin inside of what looks like a character, where none is looked for.
      let isText = !parts.dropFirst().contains { ($0.first ?? 0) & 0xC0 == 0x80 }
      if isText { return isLike(text, parts) }
    }
    return isLikeAny(text, pattern, mustStop: mustStop)
  }

  /// The first part must begin the text, the last end it, and each of the others come next as early as it can.
  private static func isLike(_ text: [UInt8], _ parts: [ArraySlice<UInt8>]) -> Bool {
    guard let first = parts.first, let last = parts.last else { return text.isEmpty }
    if parts.count == 1 { return text.elementsEqual(first) }
    guard text.count >= first.count + last.count, text.starts(with: first),
      text.suffix(last.count).elementsEqual(last)
    else { return false }
    var place = first.count
    let end = text.count - last.count
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let found = SubstringSearch(Array(part)).first(in: text, from: place), found + part.count <= end
      else {
        return false
      }
      place = found + part.count
    }
    return true
  }

  private static func isLikeAny(_ text: [UInt8], _ pattern: [UInt8], mustStop: () -> Bool) -> Bool {
    var (place, part, steps) = (0, 0, 0)
    var retry: (place: Int, part: Int)?
    while place < text.count {
      steps += 1
      if steps & 0xF_FFFF == 0, mustStop() { return false }
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
