public import BSON

/// What filters of roles can ask of a caller: `%%user.id`, `%%user.data.email`.
public struct CallerValues: Hashable, Sendable {
  public let document: Document

  public init(_ document: Document) {
    self.document = document
  }

  /// What the names lead to; null where there is nothing.
  func value(at path: [String]) -> Value {
    var value = Value.document(document)
    for name in path {
      guard case .document(let document) = value, let next = document[name] else { return .null }
      value = next
    }
    return value
  }
}
