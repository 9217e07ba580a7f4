public import GatehouseBSON
public import GatehouseModel
public import GatehouseQuery

/// The rights of a caller for the objects of one class, bound to a schema.
public struct ClassPermit: Sendable {
  /// The objects of a class that a right covers.
  public enum Extent: Hashable, Sendable {
    case none
    /// The objects that match the predicate.
    case some(Predicate)
    case all

    /// Whether it is neither all nor none of them.
    var isPart: Bool { if case .some = self { true } else { false } }

    /// The condition that an object must meet.
    public var predicate: Predicate {
      switch self {
      case .none: .never
      case .some(let predicate): predicate
      case .all: .always
      }
    }
  }

  public let read: Extent
  public let write: Extent
  /// Indexes of the properties that are not shown.
  public let hidden: Set<Int>
  /// Indexes of the properties that are not written, the hidden ones included.
  public let fixed: Set<Int>
  /// The fields of documents that are not shown.
  public var hiddenFields: Set<ExactText> = []
  /// The fields of documents that are not written, the hidden ones included.
  public var fixedFields: Set<ExactText> = []
  /// ``read`` as a filter and its arguments, if it is a filter.
  public let restriction: (filter: String, arguments: [Value])?
  /// The most objects that may be ``write``; nil: any number.
  public var quota: Quota?
  /// Whether the objects that may be written are others at another time.
  public var writeDependsOnTime = false

  /// Whether the caller only creates objects, since the class is asymmetric and they are a client.
  public var onlyCreates = false

  /// Nothing is allowed.
  static let none = ClassPermit(read: .none, write: .none, hidden: [], fixed: [], restriction: nil)

  /// The condition on objects that may be written, as a part of a plan of somebody's; nil: all may.
  public var writable: Predicate? {
    switch write {
    case .none: .never
    case .some(let predicate): predicate.unguarded
    case .all: nil
    }
  }

  /// Whether all properties of all objects are shown.
  public var isOpen: Bool { read == .all && !hidesSomething }

  /// Whether some properties, or fields of documents, are not shown.
  public var hidesSomething: Bool { !hidden.isEmpty || !hiddenFields.isEmpty }
}
