import Model

/// A filter that somebody watches, and in which shapes.
final class FilterNode {
  let filter: Filter
  var groups: [Group] = []

  init(_ filter: Filter) {
    self.filter = filter
  }
}

/// A place that somebody watches, and in which shapes.
final class PlaceNode {
  let place: Place
  var groups: [Group] = []

  init(_ place: Place) {
    self.place = place
  }
}

/// Those who watch the same in the same shape, and what they are to be told next.
final class Group {
  /// Unique as long as the process runs.
  let number: Int
  let subscription: Subscription
  /// In the terms of the schema as it is now.
  var shape: Shape
  /// Frames that have not been handed to the loops, and what they show.
  var parcel = Parcel()
  var events = 0
  /// The objects that have changed since somebody looked, where results are watched.
  var touched: Set<Mixed> = []
  /// Whether more have than are named.
  var isTouchedAnywhere = false

  init(number: Int, _ subscription: Subscription, shape: Shape) {
    self.number = number
    self.subscription = subscription
    self.shape = shape
  }
}

/// What a change is to those who watch a filter.
enum Outcome: Hashable {
  case insert
  case update
  case delete
  /// The object has begun to match.
  case matched
  /// The object has ceased to match, and is still there.
  case unmatched
}
