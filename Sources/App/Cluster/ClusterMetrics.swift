import GatehouseCluster
import GatehouseStorage
import GatehouseTelemetry

/// The instruments of a node.
enum ClusterMetrics {
  static func register(in metrics: Registry, _ member: ClusterMember, _ store: Store) {
    metrics.read("gatehouse_cluster_leader", help: "1: this node leads; 0: it follows.") {
      store.isLeading ? 1 : 0
    }
    metrics.read(
      "gatehouse_cluster_fresh",
      help: "1: this node has heard lately of what is written elsewhere; 0: it answers no reads."
    ) { member.status.isFresh ? 1 : 0 }
    metrics.read(
      "gatehouse_cluster_epoch", help: "How often a node has begun to lead, as far as this one knows."
    ) { Double(member.status.point.epoch) }
    metrics.read(
      "gatehouse_cluster_position", help: "The last entry of the log that this node has read or written."
    ) { Double(member.status.point.position) }
  }
}
