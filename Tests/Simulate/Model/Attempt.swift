/// A write that a client has tried, and how it ended for the client.
struct Attempt {
  /// The step of a transaction, each of another object.
  enum Step: Hashable {
    case insert(Int)
    case update(Int)
    case delete(Int)
  }

  enum Kind {
    /// These steps, all or none.
    case steps([Step])
    /// An update of an object that adds one to its count.
    case increment(Int)
    /// An update of all objects of a group.
    case group(Int)
  }

  enum Outcome: Equatable {
    /// Nobody has been told: it may have happened.
    case unclear
    case refused(Int)
    case acknowledged(Int64)
    /// Acknowledged without a version.
    case performed
  }

  /// The value of the property `tag` that it sets: another one for each attempt.
  let tag: String
  let kind: Kind
  /// The object that has to be of a version for it to be done.
  var condition: (object: Int, version: Int64)?
  /// Whether the audit trail has an event of it.
  var isRecorded = true
  var outcome = Outcome.unclear
  /// When it was acknowledged.
  var time: UInt64 = 0

  /// The object of an attempt that does nothing but delete it, which leaves no tag.
  var deletion: Int? {
    if case .steps(let steps) = kind, steps.count == 1, case .delete(let id) = steps[0] { id } else { nil }
  }
}
