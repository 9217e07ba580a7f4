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
    metrics.read(
      "gatehouse_cluster_behind_entries",
      help: "Entries that the log has and this node has not read, as far as it knows."
    ) { Double(member.status.entriesBehind) }
    metrics.read(
      "gatehouse_cluster_silence_seconds",
      help: "How long ago this node has heard of the leader, or has led for certain."
    ) { member.status.silence / .seconds(1) }
  }

  /// Returns what counts the bytes of entries.
  static func entrySizes(in metrics: Registry) -> @Sendable (Int) -> Void {
    let sizes = metrics.histogram(
      "gatehouse_cluster_entry_bytes", help: "Bytes of the log's entries that this node has written or read.",
      sizes: [256, 1_024, 4_096, 16_384, 65_536, 262_144, 524_288])
    return { sizes.record($0) }
  }
}
