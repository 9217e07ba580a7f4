/// The name of a node, which no other node of the cluster has, and which stays the same when the node is started again.
public struct NodeName: Hashable, Sendable {
  public let text: String

  /// Nil unless the text has 1 to 64 letters, digits, `-` or `_`.
  public init?(_ text: String) {
    guard let name = LogName(text) else { return nil }
    self.text = name.text
  }

  /// The name of a node that others send requests to: its address is its name, so that every entry of a leader says where it is.
  /// Nil where it has more than 255 bytes.
  public init?(_ address: ServerAddress) {
    text = address.description
    guard text.utf8.count <= Entry.nameLimit else { return nil }
  }
}
