/// The classes that a store may have, where several stores share those of an application.
public enum ClassBounds: Hashable, Sendable {
  case any
  case only(Set<String>)
  case except(Set<String>)

  /// Whether a class of that name may be made.
  public func allow(_ name: String) -> Bool {
    switch self {
    case .any: true
    case .only(let names): names.contains(name)
    case .except(let names): !names.contains(name)
    }
  }
}
