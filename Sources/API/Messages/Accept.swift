/// The media ranges of an Accept field (RFC 9110 §12.5.1).
struct Accept: Sendable {
  /// One media range and its weight in thousandths.
  private struct Range {
    let type: Substring
    let subtype: Substring
    let weight: Int

    /// Returns how exactly the range names the media type, from 0 to 2; nil: not at all.
    func specificity(for type: Substring, _ subtype: Substring) -> Int? {
      if self.type == "*" { return self.subtype == "*" ? 0 : nil }
      guard self.type == type else { return nil }
      if self.subtype == "*" { return 1 }
      return self.subtype == subtype ? 2 : nil
    }
  }

  private let ranges: [Range]

  /// Leaves out what is not a media range.
  init(_ value: String) {
    ranges = value.lowercased().split(separator: ",").compactMap(Accept.range)
  }

  /// The media type that the client likes best, the first of equals; nil: it takes none of them.
  func preferred(among offers: [MediaType]) -> MediaType? {
    var best: (offer: MediaType, weight: Int)?
    for offer in offers {
      let weight = weight(of: offer)
      if weight > (best?.weight ?? 0) { best = (offer, weight) }
    }
    return best?.offer
  }

  /// The weight of the most specific range that covers it.
  private func weight(of offer: MediaType) -> Int {
    let (type, subtype) = Accept.halves(of: offer.name[...]) ?? ("", "")
    var most: (specificity: Int, weight: Int) = (-1, 0)
    for range in ranges {
      if let specificity = range.specificity(for: type, subtype), specificity > most.specificity {
        most = (specificity, range.weight)
      }
    }
    return most.weight
  }

  private static func range(_ text: Substring) -> Range? {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmed)
    guard let first = parts.first, let (type, subtype) = halves(of: first) else { return nil }
    var weight = 1000
    for parameter in parts.dropFirst() where parameter.hasPrefix("q=") {
      guard let value = thousandths(parameter.dropFirst(2)) else { return nil }
      weight = value
    }
    return Range(type: type, subtype: subtype, weight: weight)
  }

  private static func halves(of name: Substring) -> (Substring, Substring)? {
    let halves = name.split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2, !halves[0].isEmpty, !halves[1].isEmpty else { return nil }
    return (halves[0], halves[1])
  }

  /// A `qvalue` (RFC 9110 §12.4.2): 0 or 1, and at most three digits.
  private static func thousandths(_ text: Substring) -> Int? {
    let digits = Array(text.utf8)
    guard let first = digits.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1") else {
      return nil
    }
    guard digits.count > 1 else { return first == UInt8(ascii: "1") ? 1000 : 0 }
    guard digits.count <= 5, digits[1] == UInt8(ascii: ".") else { return nil }
    var value = Int(first - UInt8(ascii: "0"))
    for place in 2..<5 {
      let digit = place < digits.count ? digits[place] : UInt8(ascii: "0")
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value <= 1000 ? value : nil
  }
}

extension Substring {
  /// The text without the optional whitespace of RFC 9110 §5.6.3 at its ends.
  var trimmed: Substring {
    var rest = self
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return rest
  }
}
