/// When a commit is on the disk.
public enum Durability: Hashable, Sendable {
  /// Before it is answered.
  case full
  /// At most so many milliseconds after it was answered: 1 to 60,000.
  case within(milliseconds: Int)

  /// The milliseconds that a commit may be answered before it is on the disk.
  public static let bounds = 1...60_000

  /// Reads `full`, `within:100ms` or `within-100ms`, which is a token of HTTP; `s` are seconds.
  public init?(_ text: some StringProtocol) {
    if text == "full" {
      self = .full
      return
    }
    guard text.hasPrefix("within:") || text.hasPrefix("within-") else { return nil }
    let span = text.dropFirst("within:".count)
    let isInMilliseconds = span.hasSuffix("ms")
    guard isInMilliseconds || span.hasSuffix("s") else { return nil }
    let digits = span.dropLast(isInMilliseconds ? 2 : 1)
    guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int(digits), number <= Self.bounds.upperBound
    else { return nil }
    let milliseconds = isInMilliseconds ? number : number * 1000
    guard Self.bounds.contains(milliseconds) else { return nil }
    self = .within(milliseconds: milliseconds)
  }

  /// The spelling that is a token of HTTP.
  public var token: String {
    switch self {
    case .full: "full"
    case .within(let milliseconds): "within-\(milliseconds)ms"
    }
  }
}

extension Durability: Comparable {
  /// Whether a crash loses less.
  public static func < (left: Durability, right: Durability) -> Bool { left.window < right.window }

  private var window: Int {
    switch self {
    case .full: 0
    case .within(let milliseconds): milliseconds
    }
  }
}
