internal import Model

/// The key of an entry of a map or dictionary in a path. Keys are equal if their bytes are, as in maps.
public struct MapKey: Hashable, Sendable {
  public let text: String

  package init(_ text: String) {
    self.text = text
  }

  public static func == (left: MapKey, right: MapKey) -> Bool {
    left.text.compareBytes(right.text) == 0
  }
}
