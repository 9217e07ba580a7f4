import GatehouseModel

extension PropertyType {
  /// The end of a sentence about a value of another type: what to write.
  var hint: String {
    switch self {
    case .one(let element, _): element.hint
    case .list, .set: ": an array, […]."
    case .map: ": an object, {\"key\": …}."
    case .linkingObjects: "."
    }
  }
}

extension ElementType {
  /// The end of a sentence about a value of another type, or a text that spells none: what to write.
  var hint: String {
    switch self {
    case .bool: ": true or false."
    case .int: ": a whole number without point, exponent and quotes, such as 5."
    case .float, .double: ": a number without quotes, such as 1.5."
    case .decimal128: ": text with its digits, such as \"1.50\", as numbers of JSON are doubles."
    case .string: ": text in quotes."
    case .data: ": text in Base64, such as \"aGVsbG8=\"."
    case .date: ": text as RFC 3339 has it, such as \"2024-01-02T03:04:05Z\"."
    case .objectID: ": text of 24 hexadecimal digits."
    case .uuid: ": text of 32 hexadecimal digits, 8-4-4-4-12."
    case .mixed: ": any value of JSON."
    case .object: ": an object, {…}."
    }
  }
}
