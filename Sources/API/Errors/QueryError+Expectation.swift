import GatehouseQuery

extension QueryError {
  /// The expectation of the error; empty where a bound is exceeded, or the detail alone says it.
  var expectation: Expectation {
    switch self {
    case .textTooLong, .tooDeep, .tooManyTerms, .numberOutOfRange, .limitOutOfRange, .subqueryVariableInUse,
      .contradictorySearch, .ringNotClosed, .ringTooSmall, .ringsCross, .repeatedName:
      Expectation()
    case .invalidCharacter: Expectation(found: "a character", expected: ["a word", "a value", "an operator"])
    case .unterminatedString: Expectation(found: "the end", expected: ["a closing quote"])
    case .invalidEscape:
      Expectation(
        found: "\\",
        expected: [
          "\\\"", "\\'", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\0", "\\uXXXX",
        ])
    case .invalidBase64: Expectation(found: "a string", expected: ["Base64"])
    case .invalidTimestamp: Expectation(expected: ["T<seconds>:<nanoseconds>"])
    case .invalidDate: Expectation(found: "a date", expected: ["a day of the calendar"])
    case .unexpectedToken(_, let found, let expected):
      Expectation(found: found.isEmpty ? nil : found, expected: expected)
    case .invalidSubqueryVariable: Expectation(expected: ["a name that begins with $"])
    case .emptyName: Expectation(expected: ["a name"])
    case .emptySearch, .invalidSearchWord: Expectation(expected: ["a word to search for"])

    case .unknownClass(_, _, let nearest):
      Expectation(found: "a name", expected: ["a class"], nearest: nearest)
    case .unknownProperty(_, _, _, let nearest):
      Expectation(found: "a name", expected: ["a property"], nearest: nearest)
    case .unknownProjection(_, let nearest):
      Expectation(found: "a name", expected: ["a projection"], nearest: nearest)
    case .noPropertyOf: Expectation(found: "a name", expected: ["the end of the path"])
    case .notIndexable: Expectation(expected: ["the end of the path"])
    case .incompletePath: Expectation(expected: ["a path to a value"])
    case .notAList, .subqueryOnValues: Expectation(expected: ["a path to many objects"])
    case .notExpandable: Expectation(expected: ["a path to an object"])
    case .sortOnCollection, .sortThroughCollection, .sortOnObject:
      Expectation(expected: ["a path to one value"])
    case .fullTextIndexMissing: Expectation(expected: ["a property with a full-text index"])
    case .geoNeedsEmbeddedObject: Expectation(expected: ["an embedded object"])
    case .unknownTypeName: Expectation(found: "a string", expected: ["the name of a type"])

    case .comparesConstants: Expectation(found: "a constant", expected: ["a path"])
    case .comparesCollections: Expectation(found: "a collection", expected: ["a value"])
    case .incomparable(_, let left, let right): Expectation(found: right, expected: [left])
    case .notComparableWithNull: Expectation(found: "null", expected: ["an object"])
    case .relationUnsupported(_, let relation, _): Expectation(found: relation)
    case .quantifierWithoutList(_, let quantifier):
      Expectation(found: quantifier, expected: ["a path to many values"])
    case .infinityUnsupported(_, let type): Expectation(expected: [type])
    case .linkTypeMismatch(_, let expected, let found): Expectation(found: found, expected: [expected])
    case .betweenNeedsTwoBounds: Expectation(expected: ["{low, high}"])
    case .betweenNeedsAll: Expectation(expected: ["ALL"])
    case .aggregateUnsupported(_, let function, _): Expectation(found: function)
    case .arithmeticUnsupported(_, let type): Expectation(found: type, expected: ["a number"])
    case .missingArgument: Expectation(found: "an argument")
    case .argumentTypeMismatch(_, _, let type): Expectation(expected: [type])
    case .inNeedsList: Expectation(expected: ["a list"])
    case .coordinatesOutOfBounds: Expectation(expected: ["-180 to 180", "-90 to 90"])
    case .radiusOutOfBounds: Expectation(expected: ["a number from 0"])
    case .parameter(_, let error): error.expectation
    }
  }
}
