/// The meaning of a change to those who watch a property, or a part of one.
enum PropertyEvent {
  /// Something is there that was not.
  case insert
  /// Nothing is there any more.
  case delete
  /// One value.
  case value
  case elements(CollectionDiff)
  case entries(MapDiff)

  /// The kind of event that tells of it.
  var outcome: Outcome {
    switch self {
    case .insert: .insert
    case .delete: .delete
    case .value, .elements, .entries: .update
    }
  }
}

/// The difference between two states of a map, as Realm tells it (`RealmMapChange`). Keys ascend bytewise.
struct MapDiff: Hashable {
  var deletions: [String] = []
  var insertions: [String] = []
  var modifications: [String] = []
  /// Where in the new map the inserted and modified entries are.
  var shown: [Int] = []

  var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}
