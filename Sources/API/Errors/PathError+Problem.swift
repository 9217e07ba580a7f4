import GatehouseModel
import GatehouseStorage

extension PathError: ProblemRepresentable {
  var problem: Problem {
    let (code, detail) = wording
    return Problem(code, detail)
  }
}

extension LocationError: ProblemRepresentable {
  var problem: Problem {
    switch self {
    case .nullLink: Problem(.nullLink, "A link or an embedded object on the way is null.")
    case .noEntry: Problem(.entryNotFound, "The map has no such key.")
    case .noElement: Problem(.indexOutOfRange, "The list has no such index.")
    case .noValue: Problem(.pathNotFound, "The value has nothing there.")
    case .entryExists: Problem(.entryExists, "A key is there already; nothing was written.")
    case .wrongKind: Problem(.wrongCollection, "The mixed value is no list, or no dictionary, now.")
    }
  }
}

extension PathError {
  /// The code and the sentence of the problem.
  var wording: (code: Problem.Code, detail: String) {
    switch self {
    case .empty: (.pathNotFound, "The path has no property in it.")
    case .tooDeep(let limit): (.pathTooDeep, "A path may have at most \(limit) steps.")
    case .segment(_, .unknownProperty(let objectType)):
      (.unknownProperty, "Class “\(objectType)” has no such property.")
    case .segment(_, .invalidIndex):
      (.invalidIndex, "An element of a list is named by a whole number; negative ones count from the end.")
    case .segment(_, .indexIntoSet):
      (.indexIntoSet, "Elements of a set have no names; “contains” asks for one.")
    case .segment(_, .intoLinkingObjects): (.noParts, "Linking objects have no parts; “filter” finds some.")
    case .segment(_, .noParts): (.noParts, "The path leads into a value that has no parts.")
    case .segment(_, .illegalKey):
      (.illegalKey, "A key has no “.” and no zero byte in it, and no “$” in front.")
    case .segment(_, .keyTooLong(let limit)):
      (.keyTooLong, "A key in a path may have at most \(limit) bytes.")
    }
  }
}
