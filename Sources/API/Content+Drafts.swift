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
    case .many(let values, let form):
      var drafts: [ObjectDraft] = []
      drafts.reserveCapacity(values.count)
      for (index, value) in values.enumerated() {
        let draft = try Content.locating(element: index, line: form.line(of: index)) {
          () throws(ValidationError) in
          try type.draft(from: value, in: schema, mode: mode)
        }
        drafts.append(draft)
      }
      return drafts
    }
  }

  /// Tells which of several objects a validation error is about.
  static func locating<Result>(
    element: Int? = nil, line: Int? = nil, _ body: () throws(ValidationError) -> Result
  ) throws(Refusal) -> Result {
    do {
      return try body()
    } catch {
      throw .invalidObjects(error.problems.map { Problem(problem: $0, element: element, line: line) })
    }
  }
}

extension Content.Form {
  /// The line of the element at `index`.
  fileprivate func line(of index: Int) -> Int? {
    if case .lines(let numbers) = self { numbers[index] } else { nil }
  }
}
