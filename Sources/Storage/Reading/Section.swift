public import Model

/// Objects of a result that have the same section key. Realm's `ResultsSection`.
public struct Section: Hashable, Sendable {
  public let key: Mixed
  /// In the order of the result.
  public var objects: [ObjectKey]
}
