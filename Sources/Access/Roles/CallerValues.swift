public import GatehouseBSON

/// The values of a caller that filters of roles may name: `%%user.id`, `%%user.data.email`.
public struct CallerValues: Hashable, Sendable {
  public let document: Document

  public init(_ document: Document) {
    self.document = document
  }

  /// Returns the value at the path of member names; null where there is none.
  func value(at path: [String]) -> Value {
    var value = Value.document(document)
    for name in path {
      guard case .document(let document) = value, let next = document[name] else { return .null }
      value = next
    }
    return value
  }
}
