/// Writes that happen together or not at all.
public struct Transaction: Sendable {
  public var operations: [Operation]
  /// In which form ``Commit/Result/object`` comes; nil: not at all.
  public var returning: Representation?

  /// Makes a repetition of the transaction harmless; nil: it is performed each time.
  public var receipt: Receipt?

  public init(_ operations: [Operation], returning: Representation? = nil, receipt: Receipt? = nil) {
    self.operations = operations
    self.returning = returning
    self.receipt = receipt
  }
}
