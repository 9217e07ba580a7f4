import GatehouseQuery

extension QueryError: ProblemRepresentable {
  var problem: Problem { problem(in: .filter) }

  private func problem(in parameter: QueryError.Parameter) -> Problem {
    if case .parameter(let parameter, let error) = self { return error.problem(in: parameter) }
    let (offset, code, detail) = wording
    let entry = Problem.Entry(
      .parameter(parameter.rawValue, offset: offset), code, detail: detail, expectation: expectation)
    let place = offset.map { " (byte \($0))" } ?? ""
    return Problem(
      .invalidQuery, "The parameter “\(parameter.rawValue)” is no query\(place).", errors: [entry])
  }
}

extension QueryError {
  /// The place and the words that a client is told. Texts that stand in the query are not quoted: they may be values.
  var wording: (offset: Int?, code: String, detail: String) {
    switch self {
    case .textTooLong(let limit): (nil, "text_too_long", "The text has more than \(limit) bytes.")
    case .tooDeep(let offset, let limit):
      (offset, "too_deep", "Terms are nested in more than \(limit) levels.")
    case .tooManyTerms(let offset, let limit):
      (offset, "too_many_terms", "There are more than \(limit) terms.")

    case .invalidCharacter(let offset): (offset, "invalid_character", "This character means nothing here.")
    case .unterminatedString(let offset): (offset, "unterminated_string", "The string does not end.")
    case .invalidEscape(let offset): (offset, "invalid_escape", "There is no such escape.")
    case .invalidBase64(let offset): (offset, "invalid_base64", "The data is not Base64.")
    case .invalidTimestamp(let offset): (offset, "invalid_timestamp", "The timestamp is malformed.")
    case .invalidDate(let offset):
      (offset, "invalid_date", "The date is malformed or no day of the calendar.")
    case .numberOutOfRange(let offset): (offset, "number_out_of_range", "The number is out of range.")

    case .unexpectedToken(let offset, let found, let expected):
      (offset, "unexpected_token", "Here \(expected.joined(separator: " or ")) should stand, not \(found).")
    case .invalidSubqueryVariable(let offset):
      (offset, "invalid_subquery_variable", "A subquery's variable is a name with “$” in front.")

    case .unknownClass(let offset, _, let nearest):
      (offset, "unknown_class", "There is no such class" + nearest.asHint)
    case .unknownProperty(let offset, let type, _, let nearest):
      (offset, "unknown_property", "Class “\(type)” has no such property" + nearest.asHint)
    case .noPropertyOf(let offset, let type, let property, _):
      (offset, "no_property_of", "The property “\(property)” of class “\(type)” has nothing inside.")
    case .notIndexable(let offset, let type, let property):
      (offset, "not_a_collection", "The property “\(property)” of class “\(type)” has no elements.")
    case .incompletePath(let offset): (offset, "incomplete_path", "The path ends before a value.")
    case .subqueryVariableInUse(let offset, _):
      (offset, "subquery_variable_in_use", "The variable is in use already.")
    case .notAList(let offset, let type, let property):
      (offset, "not_a_list", "The property “\(property)” of class “\(type)” does not lead to many objects.")
    case .subqueryOnValues(let offset, let type, let property):
      (offset, "subquery_on_values", "The property “\(property)” of class “\(type)” holds no objects.")

    case .comparesConstants(let offset):
      (offset, "compares_constants", "Neither side of the comparison depends on the object.")
    case .comparesCollections(let offset):
      (offset, "compares_collections", "Two collections cannot be compared.")
    case .incomparable(let offset, let left, let right):
      (offset, "incomparable", "Types \(left) and \(right) cannot be compared.")
    case .notComparableWithNull(let offset):
      (offset, "not_comparable_with_null", "This cannot be compared with null.")
    case .relationUnsupported(let offset, let relation, let type):
      (offset, "relation_unsupported", "\(relation) does not exist for type \(type).")
    case .quantifierWithoutList(let offset, let quantifier):
      (offset, "quantifier_without_list", "\(quantifier) needs a path to many values.")
    case .infinityUnsupported(let offset, let type):
      (offset, "infinity_unsupported", "Type \(type) has no infinity and no NaN.")
    case .linkTypeMismatch(let offset, let expected, let found):
      (offset, "link_type_mismatch", "The link is to class “\(expected)”, not “\(found)”.")
    case .betweenNeedsTwoBounds(let offset):
      (offset, "between_needs_two_bounds", "BETWEEN needs two bounds.")
    case .betweenNeedsAll(let offset):
      (offset, "between_needs_all", "BETWEEN on many values needs ALL.")
    case .aggregateUnsupported(let offset, let function, let type):
      (offset, "aggregate_unsupported", "\(function) does not exist for type \(type).")
    case .arithmeticUnsupported(let offset, let type):
      (offset, "arithmetic_unsupported", "Type \(type) cannot be reckoned with.")
    case .fullTextIndexMissing(let offset):
      (offset, "full_text_index_missing", "TEXT needs a property with a full-text index.")
    case .unknownTypeName(let offset, _): (offset, "unknown_type_name", "There is no type of that name.")

    case .emptySearch(let offset): (offset, "empty_search", "There is no word to search for.")
    case .invalidSearchWord(let offset): (offset, "invalid_search_word", "This is no word to search for.")
    case .contradictorySearch(let offset):
      (offset, "contradictory_search", "A word is both wanted and not wanted.")

    case .missingArgument(let offset, let index, let count):
      (offset, "missing_argument", "There is no argument $\(index): there are \(count).")
    case .argumentTypeMismatch(let offset, let index, let type):
      (offset, "argument_type_mismatch", "Argument $\(index) is no \(type).")
    case .inNeedsList(let offset): (offset, "in_needs_list", "IN needs a list.")

    case .coordinatesOutOfBounds(let offset):
      (offset, "coordinates_out_of_bounds", "A longitude or latitude is out of bounds.")
    case .ringNotClosed(let offset, let ring): (offset, "ring_not_closed", "Ring \(ring) is not closed.")
    case .ringTooSmall(let offset, let ring): (offset, "ring_too_small", "Ring \(ring) has too few points.")
    case .ringsCross(let offset, let ring): (offset, "rings_cross", "Ring \(ring) crosses a ring.")
    case .radiusOutOfBounds(let offset): (offset, "radius_out_of_bounds", "The radius is out of bounds.")
    case .geoNeedsEmbeddedObject(let offset):
      (offset, "geo_needs_embedded_object", "GEOWITHIN needs an embedded object in GeoJSON's shape.")

    case .sortOnCollection(let offset):
      (offset, "sort_on_collection", "A collection has no place in an order.")
    case .sortThroughCollection(let offset):
      (offset, "sort_through_collection", "The path leads to many objects, so that there is no order.")
    case .sortOnObject(let offset): (offset, "sort_on_object", "An object has no place in an order.")

    case .parameter(_, let error): error.wording
    case .emptyName(let offset): (offset, "empty_name", "A name is missing.")
    case .limitOutOfRange(let offset): (offset, "limit_out_of_range", "The limit is out of range.")
    case .repeatedName(let offset):
      (offset, "repeated_name", "The answer would have two fields of that name.")
    case .unknownProjection(let type, let nearest):
      (nil, "unknown_projection", "Class “\(type)” has no such projection" + nearest.asHint)
    case .notExpandable(let offset, let type, let property):
      (offset, "not_expandable", "The property “\(property)” of class “\(type)” leads to no object.")
    }
  }
}

extension String? {
  /// The end of a sentence about something unknown.
  fileprivate var asHint: String {
    map { "; did you mean “\($0)”?" } ?? "."
  }
}
