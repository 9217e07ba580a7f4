@_spi(_Unicode) internal import Swift

extension String {
  /// The text decomposed, without the marks that do not take a space of their own: `é` becomes `e`, and `ø`, which is no
  /// letter with a mark, stays. In lower case as well unless the case counts.
  package func unaccented(caseSensitive: Bool) -> String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return caseSensitive ? self : lowercased() }
    var scalars = String.UnicodeScalarView()
    for scalar in _nfd where scalar.properties.generalCategory != .nonspacingMark { scalars.append(scalar) }
    let text = String(scalars)
    return caseSensitive ? text : text.lowercased()
  }
}
