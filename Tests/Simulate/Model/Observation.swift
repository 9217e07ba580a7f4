/// Data as a client was shown it.
struct Observation {
  enum Content {
    /// All objects, in the order of their keys.
    case all([[String: Plain]])
    /// The objects of a group.
    case group(Int, [[String: Plain]])
    /// One; nil: it is not there.
    case object(Int, [String: Plain]?)
    /// That an object is there.
    case presence(Int)
    /// All objects, or those of a group, as far as events have told of them: what is null may be left out.
    case replica(group: Int?, [[String: Plain]])
    /// The first objects of a group, or of all, by `n` from the largest and then by key, with nothing left out but nulls.
    case results(group: Int?, limit: Int, [[String: Plain]])

    var withoutNulls: Self {
      switch self {
      case .all(let objects): .all(objects.map(\.withoutNulls))
      case .group(let number, let objects): .group(number, objects.map(\.withoutNulls))
      case .object(let id, let object): .object(id, object?.withoutNulls)
      case .presence, .replica, .results: self
      }
    }
  }

  let content: Content
  /// The last version that any client knew of when the request was made.
  let floor: Int64
  /// The last version of the store when the answer came.
  let ceiling: Int64
  /// By whom, for the report.
  let reader: String
}

/// The highest version that anybody knew of when something began.
struct Floor {
  let version: Int64
  /// The crashes before that have taken back what clients were told of.
  let rollbacks: Int
}

extension [String: Plain] {
  var withoutNulls: Self { filter { $0.value != .null } }
}
