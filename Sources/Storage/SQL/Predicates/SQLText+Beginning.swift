extension SQLText {
  /// Whether the text that this is begins with `prefix`, as a range that an index can find: from the prefix to
  /// before the next one of its length.
  ///
  /// For a constant of a query, the two ends of the range are arguments of those forms.
  func beginning(
    with prefix: String, as forms: (start: Argument.Form, end: Argument.Form)? = nil
  ) -> SQLText {
    let start: SQLText = forms.map { "\(argument: .text(prefix), as: $0.start)" } ?? "\(bind: .text(prefix))"
    guard let next = prefix.endOfPrefix else { return "\(self) >= \(start)" }
    let end: SQLText = forms.map { "\(argument: .text(next), as: $0.end)" } ?? "\(bind: .text(next))"
    return "(\(self) >= \(start) AND \(self) < \(end))"
  }
}

extension String {
  /// Whether there is no text behind all that begin with this one.
  var isLastPrefix: Bool { unicodeScalars.allSatisfy { $0.next == nil } }

  /// The first text behind all that begin with this one; nil: there is none.
  var endOfPrefix: String? {
    guard let place = unicodeScalars.lastIndex(where: { $0.next != nil }),
      let next = unicodeScalars[place].next
    else { return nil }
    return String(self[..<place]) + String(next)
  }
}

extension Unicode.Scalar {
  /// The next scalar value in the order of UTF-8.
  fileprivate var next: Unicode.Scalar? {
    value == 0xd7ff ? "\u{e000}" : Unicode.Scalar(value + 1)
  }
}
