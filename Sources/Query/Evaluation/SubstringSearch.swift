/// Looks for a part in texts in time that is at most the sum of their lengths (Knuth, Morris and Pratt).
package struct SubstringSearch {
  private let part: [UInt8]
  /// For each length of what has been found, how much of it remains where the next byte is another; empty: the part is
  /// so short that beginning anew costs less.
  private let rest: [Int]
  private static let short = 32

  package init(_ part: [UInt8]) {
    self.part = part
    guard part.count > Self.short else {
      rest = []
      return
    }
    var rest = [0]
    rest.reserveCapacity(part.count)
    var length = 0
    for byte in part.dropFirst() {
      while length > 0, part[length] != byte { length = rest[length - 1] }
      if part[length] == byte { length += 1 }
      rest.append(length)
    }
    self.rest = rest
  }

  /// Where the part is in the text for the first time from `start` on.
  package func first(in text: [UInt8], from start: Int) -> Int? {
    guard let head = part.first else { return start }
    guard start + part.count <= text.count else { return nil }
    guard rest.isEmpty else { return firstOfLong(in: text, from: start) }
    for place in start...(text.count - part.count) where text[place] == head {
      if text[place..<(place + part.count)].elementsEqual(part) { return place }
    }
    return nil
  }

  private func firstOfLong(in text: [UInt8], from start: Int) -> Int? {
    var length = 0
    for place in start..<text.count {
      while length > 0, part[length] != text[place] { length = rest[length - 1] }
      if part[length] == text[place] { length += 1 }
      if length == part.count { return place - length + 1 }
    }
    return nil
  }
}
