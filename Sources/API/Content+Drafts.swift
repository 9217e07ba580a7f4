import BSON
import Model

extension Content {
  var isOne: Bool {
    if case .one = self { true } else { false }
  }

  /// The values as objects of a class; everything that is wrong with the first bad one is in the error, and
  /// its place in front of each pointer.
  func drafts(
    of type: ObjectType, in schema: Schema, mode: ObjectType.DraftMode
  ) throws(Refusal) -> [ObjectDraft] {
    switch self {
    case .one(let value):
      return [
        try Content.locating { () throws(ValidationError) in
          try type.draft(from: value, in: schema, mode: mode)
        }
      ]
    case .many(let values, _):
      var drafts: [ObjectDraft] = []
      drafts.reserveCapacity(values.count)
      for (index, value) in values.enumerated() {
        let draft = try Content.locating(place(of: index)) { () throws(ValidationError) in
          try type.draft(from: value, in: schema, mode: mode)
        }
        drafts.append(draft)
      }
      return drafts
    }
  }

  /// Where the object at `index` is; nil where there is only one.
  func place(of index: Int) -> Place? {
    switch self {
    case .one: nil
    case .many(_, .lines(let numbers)): Place(element: index, line: numbers[index])
    case .many(_, .array), .many(_, .documents): Place(element: index, line: nil)
    }
  }

  /// Tells which of several objects a validation error is about.
  static func locating<Result>(
    _ place: Place? = nil, _ body: () throws(ValidationError) -> Result
  ) throws(Refusal) -> Result {
    do {
      return try body()
    } catch {
      throw .invalidObjects(error.problems.map { Problem(problem: $0, place: place) })
    }
  }
}
