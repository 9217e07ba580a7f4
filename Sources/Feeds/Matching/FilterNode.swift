import GatehouseModel
import GatehouseQuery

/// A filter that somebody watches, and in which shapes.
final class FilterNode {
  let filter: Filter
  var groups: [SubscriberGroup] = []
  /// Whether a change took too long for it: nothing is asked for it until the iterator has caught up.
  var isSuspended = false

  init(_ filter: Filter) {
    self.filter = filter
  }
}

/// A place that somebody watches, and in which shapes.
final class PropertyWatchNode {
  let watch: PropertyWatch
  var groups: [SubscriberGroup] = []
  /// Like ``FilterNode/isSuspended``.
  var isSuspended = false

  init(_ watch: PropertyWatch) {
    self.watch = watch
  }
}
