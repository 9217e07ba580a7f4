internal import GatehouseBSON

/// A text that equals another one only if its bytes are the same: for keys of maps, and of caches of what clients wrote.
public struct ExactText: Hashable, Sendable {
  /// As the client wrote it.
  public let text: String

  /// Makes it of any text.
  public init(_ text: String) {
    self.text = text
  }

  /// Whether the bytes are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }
}
