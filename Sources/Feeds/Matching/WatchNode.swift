/// Something that somebody watches, and in which shapes.
class WatchNode {
  final var groups = ReferenceSet<SubscriberGroup>()
  /// Whether a change took too long for it: nothing is asked for it until the iterator has caught up.
  final var isSuspended = false
}

/// A filter that somebody watches.
final class FilterNode: WatchNode {
  let filter: Filter

  init(_ filter: Filter) {
    self.filter = filter
  }
}

/// A place that somebody watches.
final class PropertyWatchNode: WatchNode {
  let watch: PropertyWatch

  init(_ watch: PropertyWatch) {
    self.watch = watch
  }
}
