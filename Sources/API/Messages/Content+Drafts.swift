import GatehouseBSON
import GatehouseModel

extension Content {
  /// The way in which several values are put together; nil where there is one.
  var form: Form? {
    if case .many(_, let form) = self { form } else { nil }
  }

  /// The whole content as one value.
  var value: Value {
    switch self {
    case .one(let value): value
    case .many(let values, _): .array(values)
    }
  }

  /// The values as objects of a class; everything that is wrong with the first bad one is in the error, and
  /// its place in front of each pointer.
  func drafts(
    of type: ObjectType, in schema: Schema, mode: ObjectType.DraftMode
  ) throws(APIError) -> [ObjectDraft] {
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
        let draft = try Content.locating(form.place(of: index)) { () throws(ValidationError) in
          try type.draft(from: value, in: schema, mode: mode)
        }
        drafts.append(draft)
      }
      return drafts
    }
  }

  /// Tells which of several objects a validation error is about.
  static func locating<Result>(
    _ place: Place? = nil, _ body: () throws(ValidationError) -> Result
  ) throws(APIError) -> Result {
    do {
      return try body()
    } catch {
      throw .invalidObjects(error.problems.map { Problem(problem: $0, place: place) })
    }
  }
}

extension Content.Form {
  /// Returns the place of the object at `index`.
  func place(of index: Int) -> Content.Place {
    switch self {
    case .lines(let numbers): Content.Place(pointer: "/\(index)", line: numbers[index])
    case .array, .documents: Content.Place(pointer: "/\(index)")
    }
  }
}
