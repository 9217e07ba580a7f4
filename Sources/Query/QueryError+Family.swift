extension QueryError {
  /// Realm-core's class of the error.
  package var family: String {
    switch self {
    case .textTooLong, .tooDeep, .tooManyTerms, .invalidCharacter, .unterminatedString, .invalidEscape,
      .invalidBase64, .invalidTimestamp, .numberOutOfRange, .unexpectedToken, .invalidSubqueryVariable:
      "SyntaxError"
    case .missingArgument, .argumentTypeMismatch, .inNeedsList, .arithmeticUnsupported, .unknownTypeName,
      .coordinatesOutOfBounds, .ringNotClosed, .ringTooSmall, .ringsCross, .radiusOutOfBounds:
      "InvalidQueryArgError"
    case .parameter(_, let error): error.family
    case .invalidDate, .unknownClass, .unknownProperty, .noPropertyOf, .notIndexable, .incompletePath,
      .subqueryVariableInUse, .notAList, .subqueryOnValues, .comparesConstants, .comparesCollections,
      .incomparable, .notComparableWithNull, .relationUnsupported, .quantifierWithoutList,
      .infinityUnsupported, .linkTypeMismatch, .betweenNeedsTwoBounds, .betweenNeedsAll,
      .aggregateUnsupported, .fullTextIndexMissing, .emptySearch, .invalidSearchWord, .contradictorySearch,
      .geoNeedsEmbeddedObject, .sortOnCollection, .sortThroughCollection, .sortOnObject, .emptyName,
      .limitOutOfRange, .repeatedName, .unknownProjection, .notExpandable:
      "InvalidQueryError"
    }
  }

  /// Whether the text breaks the grammar, whatever the schema says.
  package var isSyntactic: Bool { family == "SyntaxError" }
}
