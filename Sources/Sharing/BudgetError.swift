/// Why a caller does not get more bytes of a resource.
public struct BudgetError: Error, Hashable, Sendable {
  public let resource: SharedBudget.Resource
  public let reason: SharingError

  public init(_ resource: SharedBudget.Resource, _ reason: SharingError) {
    self.resource = resource
    self.reason = reason
  }
}
