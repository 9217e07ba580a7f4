/// Writes that happen together or not at all.
public struct Transaction: Sendable {
  public var operations: [Operation]
  /// In which form ``Commit/Result/object`` comes; nil: not at all.
  public var returning: Representation?

  public init(_ operations: [Operation], returning: Representation? = nil) {
    self.operations = operations
    self.returning = returning
  }
}
