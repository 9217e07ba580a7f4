/// Why a query was refused.
///
/// An `offset` counts bytes of UTF-8 from the beginning of the text.
public enum QueryError: Error, Hashable, Sendable {
  /// A part of a ``QueryRequest``.
  public enum Parameter: String, Hashable, Sendable {
    case filter
    case sort
    case distinct
    case limit
    case fields
    case expand
    case projection
    case aggregate
    case sectionBy
  }

  // Bounds.
  case textTooLong(limit: Int)
  case tooDeep(offset: Int, limit: Int)
  case tooManyTerms(offset: Int, limit: Int)

  // Words (realm-core: SyntaxError).
  case invalidCharacter(offset: Int)
  case unterminatedString(offset: Int)
  case invalidEscape(offset: Int)
  case invalidBase64(offset: Int)
  case invalidTimestamp(offset: Int)
  case invalidDate(offset: Int)
  case numberOutOfRange(offset: Int)

  // Grammar (realm-core: SyntaxError).
  /// `found` is the kind of the token, or the token where it can be nothing else.
  case unexpectedToken(offset: Int, found: String, expected: [String])
  case invalidSubqueryVariable(offset: Int)

  // Names (realm-core: InvalidQueryError).
  case unknownClass(offset: Int, name: String, nearest: String?)
  case unknownProperty(offset: Int, objectType: String, name: String, nearest: String?)
  /// A path goes on after a property that has nothing inside.
  case noPropertyOf(offset: Int, objectType: String, property: String, name: String)
  case notIndexable(offset: Int, objectType: String, property: String)
  /// A path ends where a value is needed.
  case incompletePath(offset: Int)
  case subqueryVariableInUse(offset: Int, name: String)
  case notAList(offset: Int, objectType: String, property: String)
  case subqueryOnValues(offset: Int, objectType: String, property: String)

  // Types (realm-core: InvalidQueryError).
  case comparesConstants(offset: Int)
  case comparesCollections(offset: Int)
  case incomparable(offset: Int, left: String, right: String)
  case notComparableWithNull(offset: Int)
  case relationUnsupported(offset: Int, relation: String, type: String)
  case quantifierWithoutList(offset: Int, quantifier: String)
  case infinityUnsupported(offset: Int, type: String)
  case linkTypeMismatch(offset: Int, expected: String, found: String)
  case betweenNeedsTwoBounds(offset: Int)
  case betweenNeedsAll(offset: Int)
  case aggregateUnsupported(offset: Int, function: String, type: String)
  case arithmeticUnsupported(offset: Int, type: String)
  case fullTextIndexMissing(offset: Int)
  case unknownTypeName(offset: Int, name: String)

  // Words to search for.
  case emptySearch(offset: Int)
  case invalidSearchWord(offset: Int)
  case contradictorySearch(offset: Int)

  // Arguments (realm-core: InvalidQueryArgError).
  case missingArgument(offset: Int, index: Int, count: Int)
  case argumentTypeMismatch(offset: Int, index: Int, type: String)
  case inNeedsList(offset: Int)

  // Regions.
  case coordinatesOutOfBounds(offset: Int)
  case ringNotClosed(offset: Int, ring: Int)
  case ringTooSmall(offset: Int, ring: Int)
  case ringsCross(offset: Int, ring: Int)
  case radiusOutOfBounds(offset: Int)
  case geoNeedsEmbeddedObject(offset: Int)

  // Order.
  case sortOnCollection(offset: Int)
  case sortThroughCollection(offset: Int)
  case sortOnObject(offset: Int)

  // Parameters beside the filter.
  indirect case parameter(Parameter, QueryError)
  case emptyName(offset: Int)
  case limitOutOfRange(offset: Int)
  /// Two fields of an answer would have the same name.
  case repeatedName(offset: Int)
  case unknownProjection(objectType: String, nearest: String?)
  case notExpandable(offset: Int, objectType: String, property: String)
}
