/// The objects that may only be replaced, changed or deleted with If-Match (RFC 6585 §3), so that no one
/// overwrites what he has not seen.
public enum ConditionalWrites: Hashable, Sendable {
  case optional
  case required
  /// Required for objects of those classes.
  case requiredFor(Set<String>)

  func areRequired(for objectType: String) -> Bool {
    switch self {
    case .optional: false
    case .required: true
    case .requiredFor(let types): types.contains(objectType)
    }
  }
}
