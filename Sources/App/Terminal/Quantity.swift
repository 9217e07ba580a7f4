/// Numbers as people read them.
enum Quantity {
  /// With a comma between thousands.
  static func grouped(_ number: Int) -> String {
    var digits = Array(String(number.magnitude))
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: place)
      place -= 3
    }
    return (number < 0 ? "-" : "") + String(digits)
  }

  /// `0.4 s` below ten seconds, `42 s` below two minutes, `3 min 20 s` from there.
  static func duration(_ duration: Duration) -> String {
    let tenths = Int((duration / .milliseconds(100)).rounded())
    if tenths < 100 { return "\(tenths / 10).\(tenths % 10) s" }
    let seconds = (tenths + 5) / 10
    return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
  }
}
