extension SQLText {
  /// Whether the text that this is begins with `prefix`, as a range that an index can find: from the prefix to
  /// before the next one of its length.
  func beginning(with prefix: String) -> SQLText {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      guard let next = last.next else { continue }
      let end = String(String.UnicodeScalarView(scalars + [next]))
      return "(\(self) >= \(bind: .text(prefix)) AND \(self) < \(bind: .text(end)))"
    }
    return "\(self) >= \(bind: .text(prefix))"
  }
}

extension Unicode.Scalar {
  /// The next scalar value in the order of UTF-8.
  fileprivate var next: Unicode.Scalar? {
    value == 0xd7ff ? "\u{e000}" : Unicode.Scalar(value + 1)
  }
}
