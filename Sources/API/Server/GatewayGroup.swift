public import GatehouseAudit
public import GatehouseFeeds
public import GatehouseStorage
public import GatehouseTelemetry
public import GatehouseTriggers

/// A group of classes that a gateway serves from a database of its own. Its callers are those of the gateway.
public struct GatewayGroup: Sendable {
  let group: ClassGroup
  let store: Store
  /// Tells subscribers of the store's commits.
  let broker: EventBroker
  /// The number of the shard of the group that the store is; nil: it has all of the group.
  public var shard: Int?
  /// Records who reads and writes what; nil: nothing is recorded.
  public var recorder: Recorder?
  /// The triggers on its classes; nil: there are none.
  public var triggers: TriggerRunner?
  /// The instruments that `/metrics` of the group shows.
  public var metrics = Registry()
  /// Work on the store that an administrator may begin.
  public var maintenance = Maintenance()
  /// The cluster that the group is kept by; nil: the server is alone.
  public var cluster: ClusterAccess?

  public init(_ group: ClassGroup, _ store: Store, broker: EventBroker) {
    (self.group, self.store, self.broker) = (group, store, broker)
  }
}
