/// A text that is the same as another one only where its bytes are: for keys of caches of what clients wrote.
public struct ExactText: Hashable, Sendable {
  public let text: String

  public init(_ text: String) {
    self.text = text
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.text.compareBytes(right.text) == 0
  }
}
