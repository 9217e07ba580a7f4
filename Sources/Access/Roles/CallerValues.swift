public import GatehouseBSON

/// The values of a caller that filters of roles may name: `%%user.id`, `%%user.data.email`.
public struct CallerValues: Hashable, Sendable {
  public let document: Document
  /// The time of the request, `%%now`; nil where no filter of the caller's role names it.
  public let time: Date?

  public init(_ document: Document, time: Date? = nil) {
    self.document = document
    self.time = time
  }

  /// The names of the user's roles.
  public var roles: [String] {
    guard case .array(let names)? = document["roles"] else { return [] }
    return names.compactMap(\.text)
  }

  /// Returns the value that an expansion stands for; null where there is none.
  func value(of expansion: FilterTemplate.Expansion) -> Value {
    switch expansion {
    case .time: time.map { .date($0) } ?? .null
    case .user(let path): value(at: path)
    case .objectID(let path): objectID(at: path).map { .objectID($0) } ?? .null
    }
  }

  /// Returns the ObjectID at the path, or that which the text there says; nil where there is none.
  private func objectID(at path: [String]) -> ObjectID? {
    switch value(at: path) {
    case .objectID(let id): id
    case .string(let text): ObjectID(text)
    default: nil
    }
  }

  /// Returns the value at the path of member names; null where there is none.
  private func value(at path: [String]) -> Value {
    var value = Value.document(document)
    for name in path {
      guard case .document(let document) = value, let next = document[name] else { return .null }
      value = next
    }
    return value
  }
}
