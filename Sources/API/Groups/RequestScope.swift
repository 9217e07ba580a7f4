/// The stores of an app that a request is about, where classes are in groups.
struct RequestScope: Sendable {
  /// Whether it is about one group, which the path names, and not about all of them.
  var isOfNamedGroup = false
  /// Whether it is about all shards of a group, whose answers are put together.
  var isOfAllShards = false
  /// Whether it is a part of a request that has been counted as one.
  var isCounted = false
}
