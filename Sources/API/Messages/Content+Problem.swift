import GatehouseBSON

extension Content.SyntaxError: ProblemRepresentable {
  var problem: Problem {
    let place = Problem.Entry.Place.content(offset: offset, line: line)
    let prefix = line.map { "line \($0), " } ?? ""
    switch rule {
    case .json(.tooDeep):
      return Problem(
        .malformedJSON, "The content is nested too deeply (\(prefix)byte \(offset)).",
        errors: [Problem.Entry(place, JSONError.Rule.tooDeep.code, detail: JSONError.Rule.tooDeep.detail)])
    case .bson(.tooDeep):
      return Problem(
        .malformedBSON, "The content is nested too deeply (byte \(offset)).",
        errors: [Problem.Entry(place, BSONError.Rule.tooDeep.code, detail: BSONError.Rule.tooDeep.detail)])
    case .json(let rule):
      return Problem(
        .malformedJSON, "The content is not JSON (\(prefix)byte \(offset)).",
        errors: [Problem.Entry(place, rule.code, detail: rule.detail)])
    case .bson(let rule):
      return Problem(
        .malformedBSON, "The content is not BSON (byte \(offset)).",
        errors: [Problem.Entry(place, rule.code, detail: rule.detail)])
    case .csv(let rule):
      return Problem(
        .malformedCSV, "The content is not CSV (\(prefix)byte \(offset)).",
        errors: [Problem.Entry(place, rule.code, detail: rule.detail)])
    case .foreign(let format):
      return Problem(
        .malformedJSON, "The content is not \(line == nil ? "JSON" : "a JSON object a line").",
        errors: [Problem.Entry(place, format.code, detail: format.detail)])
    }
  }
}

extension JSONError.Rule {
  var code: String { wording.code }
  var detail: String { wording.detail }

  private var wording: (code: String, detail: String) {
    switch self {
    case .unexpectedEnd: ("unexpected_end", "The text ends too early.")
    case .expectedValue: ("expected_value", "Here a value should begin.")
    case .expectedKey: ("expected_key", "Here a string should begin that names a member.")
    case .expectedColon: ("expected_colon", "Here a colon should stand.")
    case .expectedCommaOrEnd: ("expected_comma_or_end", "Here a comma or a closing bracket should stand.")
    case .trailingBytes: ("trailing_bytes", "Something stands behind the value.")
    case .byteOrderMark: ("byte_order_mark", "The text begins with a byte order mark.")
    case .leadingZero: ("leading_zero", "A number begins with a zero too many.")
    case .malformedNumber: ("malformed_number", "A number is malformed.")
    case .numberOutOfRange: ("number_out_of_range", "A number is beyond the greatest double.")
    case .controlCharacter:
      ("control_character", "A string has a control character in it that is not escaped.")
    case .malformedEscape: ("malformed_escape", "A string has an escape in it that does not exist.")
    case .loneSurrogate: ("lone_surrogate", "A string has half of a surrogate pair in it.")
    case .malformedUTF8: ("malformed_utf8", "The text is not UTF-8.")
    case .duplicateKey: ("duplicate_key", "A member is there twice.")
    case .tooDeep: ("too_deep", "Values are nested too deeply.")
    case .tooLarge: ("too_large", "The text is too large.")
    case .malformedExtendedJSON: ("malformed_extended_json", "A value of Extended JSON is malformed.")
    }
  }
}

extension CSVError.Rule {
  var code: String { wording.code }
  var detail: String { wording.detail }

  private var wording: (code: String, detail: String) {
    switch self {
    case .quoteInField:
      ("quote_in_field", "A field with a quote in it must stand in quotes, each quote in it twice.")
    case .textAfterQuote:
      ("text_after_quote", "Behind the quote that ends a field a comma or the end of the line should stand.")
    case .unterminatedQuote: ("unterminated_quote", "A quote begins here that does not end.")
    case .bareCarriageReturn:
      ("bare_carriage_return", "A carriage return has no line feed behind it: lines end with LF or CRLF.")
    case .malformedUTF8: ("malformed_utf8", "The text is not UTF-8.")
    case .fieldCount(let expected, let found):
      found > expected
        ? ("field_count", "There are more fields than the \(expected) of the header.")
        : (
          "field_count",
          "There \(found == 1 ? "is 1 field" : "are \(found) fields"), where the header has \(expected)."
        )
    case .tooManyFields(let limit): ("too_many_fields", "There are more than \(limit) fields.")
    }
  }
}

extension ForeignFormat {
  var code: String { wording.code }
  var detail: String { wording.detail }

  private var wording: (code: String, detail: String) {
    switch self {
    case .jsonArray: ("json_array", "It begins as a JSON array, which is “application/json”.")
    case .csv: ("csv", "It looks like CSV, which is “text/csv”.")
    case .bson: ("bson", "It looks like BSON, which is “application/bson”.")
    case .gzip: ("gzip", "It is compressed by gzip; content is taken as it is only.")
    }
  }
}

extension BSONError.Rule {
  var code: String { wording.code }
  var detail: String { wording.detail }

  private var wording: (code: String, detail: String) {
    switch self {
    case .unexpectedEnd: ("unexpected_end", "The document ends too early.")
    case .malformedLength: ("malformed_length", "A length is not what it measures.")
    case .missingTerminator: ("missing_terminator", "A zero byte is missing at an end.")
    case .trailingBytes: ("trailing_bytes", "Something stands behind the document.")
    case .unknownType: ("unknown_type", "There is no such type.")
    case .malformedBoolean: ("malformed_boolean", "A boolean is neither 0 nor 1.")
    case .malformedUTF8: ("malformed_utf8", "A string is not UTF-8.")
    case .duplicateKey: ("duplicate_key", "A member is there twice.")
    case .tooDeep: ("too_deep", "Values are nested too deeply.")
    case .tooLarge: ("too_large", "The document is too large.")
    case .zeroByteInName: ("zero_byte_in_name", "A name has a zero byte in it.")
    }
  }
}
