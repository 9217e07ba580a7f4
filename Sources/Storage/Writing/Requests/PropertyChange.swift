public import GatehouseModel

/// A change of the value that a ``ResourcePath`` leads to.
public enum PropertyChange: Sendable {
  /// Whose value counts where a key is there already. Realm's `merge(_:uniquingKeysWith:)`.
  public enum Uniquing: String, Hashable, Sendable {
    case new, old, error
  }

  /// A property, an entry of a map, an element of a list, or a part of a mixed value becomes this.
  case assign(DraftValue)
  /// A collection becomes empty, any other property null; entries and elements go.
  case remove
  /// An embedded object is changed, or made of the patch where there is none.
  case patch(ObjectPatch)
  /// A map gets these entries.
  case merge([DraftValue.Entry], Uniquing)
  /// A list gets these elements before that index, nil: at the end; negative counts from the end.
  case insert([DraftValue], at: Int?)
  /// An element of a list goes to where it then has the index `to`.
  case move(from: Int, to: Int)
  case removeElements(from: Int, count: Int)
  /// A set gets these values.
  case union([DraftValue])
  /// A set loses these values.
  case subtract([DraftValue])
  /// A set loses all other values.
  case intersect([DraftValue])
}
