import GatehouseBSON

/// Texts of values, as MongoDB writes them.
enum ValueText {
  /// Numbers as C++ prints them with 15 digits or as many as needed: `1`, `1.5`, `1e+20`.
  static func text(of double: Double) -> String {
    if double.isNaN { return "NaN" }
    if double.isInfinite { return double < 0 ? "-Infinity" : "Infinity" }
    if double == double.rounded(), abs(double) < 1e15 {
      return double == 0 && double.sign == .minus ? "-0" : String(Int64(double))
    }
    return double.description
  }

  /// A date with milliseconds, in UTC.
  static func text(of date: Date) -> String {
    DateParts(date, offset: 0).isoText + "Z"
  }
}
