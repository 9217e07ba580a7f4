internal import GatehouseBSON

extension String {
  /// Compares the bytes of two texts in UTF-8, as Realm orders strings: negative, zero or positive.
  ///
  /// `<` and `==` of `String` go by canonical equivalence, where `é` has two spellings that are one.
  public func compareBytes(_ other: String) -> Int {
    let left = utf8Span.span
    let right = other.utf8Span.span
    for index in 0..<min(left.count, right.count) where left[index] != right[index] {
      return left[index] < right[index] ? -1 : 1
    }
    return left.count - right.count
  }
}

extension String? {
  /// Whether both are there with the same bytes, or neither is.
  public func hasSameBytes(as other: String?) -> Bool {
    switch (self, other) {
    case (let left?, let right?): left.hasSameBytes(as: right)
    case (nil, nil): true
    case (nil, _?), (_?, nil): false
    }
  }
}
