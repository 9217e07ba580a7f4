/// The part of a quota that a transaction would have exceeded.
public struct QuotaExcess: Hashable, Sendable {
  /// The measures of a quota.
  public enum Measure: String, Hashable, Sendable { case objects, bytes }

  public let objectType: String
  public let measure: Measure
  /// How much there was before the transaction; nil: that is not to be told.
  public let used: Int?
  public let allowed: Int

  public init(objectType: String, _ measure: Measure, used: Int?, allowed: Int) {
    self.objectType = objectType
    self.measure = measure
    self.used = used
    self.allowed = allowed
  }
}
