/// Identifies an object within its class for as long as the store lives; never reused. Realm's `ObjKey`.
public struct ObjectKey: Hashable, Sendable {
  /// The largest key that a client may ask for: far enough from the end that counting on never overflows.
  public static let largest: Int64 = 1 << 62

  public let value: Int64

  public init(_ value: Int64) {
    self.value = value
  }
}

extension ObjectKey: Comparable {
  public static func < (left: ObjectKey, right: ObjectKey) -> Bool {
    left.value < right.value
  }
}

/// Identifies an object of any class: what a typed link inside a mixed value holds. Realm's `ObjLink`.
public struct ObjectLink: Hashable, Sendable {
  public let objectType: String
  public let key: ObjectKey

  public init(objectType: String, key: ObjectKey) {
    self.objectType = objectType
    self.key = key
  }
}
