internal import GatehouseBSON

/// The kind of values that the cells of a column hold.
///
/// A cell with nothing in it is no value: null where the property may be, otherwise as if the column were not there. Quotes
/// with nothing between are the empty text, or no bytes of data.
enum CellType: Hashable, Sendable {
  /// A scalar; `isFilled`: a cell with nothing in it is the empty text or data, since nothing else makes the property one.
  case scalar(ElementType, optional: Bool, isFilled: Bool)
  /// The primary key of a link's target, or a `_key`.
  case identifier(ElementType, optional: Bool)
  /// JSON, but of texts that cannot be JSON themselves.
  case mixed
  /// JSON: a collection, or an embedded object; null: one that may be null.
  case json(isNullable: Bool)

  init(_ property: Property, isKey: Bool, in schema: Schema) {
    switch property.type {
    case .one(.mixed, _): self = .mixed
    case .one(.object(let name), _):
      guard let target = schema[name], !target.isEmbedded else {
        self = .json(isNullable: true)
        return
      }
      guard case .one(let key, _)? = target.primaryKey?.type else {
        self = .identifier(.int, optional: true)
        return
      }
      self = .identifier(key, optional: true)
    case .one(let element, let optional):
      let hasDefault = property.defaultValue != nil || property.generatedDefault != nil
      self = .scalar(
        element, optional: optional, isFilled: element.isEmptiable && !optional && !isKey && !hasDefault)
    case .list, .set, .map, .linkingObjects: self = .json(isNullable: false)
    }
  }

  /// Returns the value of a cell; nil: it has none.
  func value(of field: CSVRecord.Field, with json: inout JSONReader) -> Value? {
    switch self {
    case .scalar(let type, let optional, let isFilled) where type.isEmptiable:
      if !field.text.isEmpty || field.isQuoted || isFilled { return .string(field.text) }
      return optional ? .null : nil
    case .identifier(.string, let optional):
      if !field.text.isEmpty || field.isQuoted { return .string(field.text) }
      return optional ? .null : nil
    case .scalar(let type, let optional, _), .identifier(let type, let optional):
      let text = field.text.trimmed
      return text.isEmpty ? (optional ? .null : nil) : CellType.scalar(text, type)
    case .mixed:
      if field.text.isEmpty { return .null }
      return CellType.objectID(field.text) ?? CellType.parsed(field.text, &json) ?? .string(field.text)
    case .json(let isNullable):
      if field.text.isEmpty { return isNullable ? .null : nil }
      return CellType.parsed(field.text, &json) ?? .string(field.text)
    }
  }

  private static func scalar(_ text: String, _ type: ElementType) -> Value {
    let value: Value? =
      switch type {
      case .bool: bool(text)
      case .int: Int64(text).map { .int64($0) } ?? number(text)
      case .float, .double: number(text)
      case .objectID: objectID(text)
      // These are read from text wherever they come from.
      case .decimal128, .string, .data, .date, .uuid, .mixed, .object: nil
      }
    return value ?? .string(text)
  }

  /// Returns the ObjectID of a cell as mongoexport writes it; nil: it is none.
  private static func objectID(_ text: String) -> Value? {
    guard text.hasPrefix("ObjectId("), text.hasSuffix(")") else { return nil }
    return ObjectID(String(text.dropFirst(9).dropLast())).map { .objectID($0) }
  }

  private static func bool(_ text: String) -> Value? {
    switch text.lowercased() {
    case "true": .bool(true)
    case "false": .bool(false)
    default: nil
    }
  }

  private static func number(_ text: String) -> Value? {
    switch text.lowercased() {
    case "nan": return .double(.nan)
    case "infinity", "inf": return .double(.infinity)
    case "-infinity", "-inf": return .double(-.infinity)
    default: break
    }
    // Neither hexadecimal digits nor other words.
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
  }

  private static func parsed(_ text: String, _ json: inout JSONReader) -> Value? {
    var text = text
    return try? text.withUTF8 { (bytes) throws(JSONError) in try unsafe json.read(bytes) }
  }
}

extension ElementType {
  /// Whether a value of the type is written as the empty text.
  fileprivate var isEmptiable: Bool { self == .string || self == .data }
}

extension String {
  /// The text without spaces and tabs at its ends.
  fileprivate var trimmed: String {
    guard let first = utf8.first, let last = utf8.last, first <= 0x20 || last <= 0x20 else { return self }
    var rest = self[...]
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return String(rest)
  }
}
