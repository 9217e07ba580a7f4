/// A text that is the same as another one only where its bytes are: for keys of caches of what clients wrote.
public struct ExactText: Hashable, Sendable {
  /// As the client wrote it.
  public let text: String

  /// Makes it of any text.
  public init(_ text: String) {
    self.text = text
  }

  /// Whether the bytes are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.text.compareBytes(right.text) == 0
  }
}
