import Query

/// A filter that somebody watches, and in which shapes.
final class FilterNode {
  let filter: Filter
  var groups: [Group] = []

  init(_ filter: Filter) {
    self.filter = filter
  }
}

/// Those who watch the same in the same shape, and what they are to be told next.
final class Group {
  /// Unique as long as the process runs.
  let number: Int
  let subscription: Subscription
  /// In the terms of the schema as it is now.
  var shape: Shape
  /// Frames that have not been handed to the loops.
  var frames: [UInt8] = []
  var events = 0

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

extension Filter {
  /// Nil: nothing.
  func outcome(_ before: PastObject?, _ after: PastObject?) -> Outcome? {
    let matched = before.map(matches) ?? false
    let matches = after.map(matches) ?? false
    switch (matched, matches) {
    case (false, false): return nil
    case (true, true): return .update
    case (false, true): return before == nil ? .insert : .matched
    case (true, false): return after == nil ? .delete : .unmatched
    }
  }

  private func matches(_ object: PastObject) -> Bool {
    predicate == .always || predicate.matches(object)
  }
}
