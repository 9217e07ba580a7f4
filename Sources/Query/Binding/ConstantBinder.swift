internal import GatehouseBSON
internal import GatehouseModel

/// Makes constants of literals and arguments, converted to the type of what they are compared with (realm-core's
/// `ConstantNode::visit`).
struct ConstantBinder {
  let schema: Schema
  private let arguments: [Value]

  init(schema: Schema, arguments: [Value]) {
    self.schema = schema
    self.arguments = arguments
  }

  /// Returns the class of that name.
  func objectType(_ name: String, offset: Int) throws(QueryError) -> ObjectType {
    if let type = schema[name] { return type }
    throw .unknownClass(offset: offset, name: name, nearest: name.nearest(of: schema.objectTypes.map(\.name)))
  }

  /// Returns the value of `$0`, `$1` …
  func value(of argument: Int, _ offset: Int) throws(QueryError) -> Value {
    guard argument < arguments.count else {
      throw .missingArgument(offset: offset, index: argument, count: arguments.count)
    }
    return arguments[argument]
  }

  /// Returns the constant that a term stands for; `hint` is the type of what it is compared with. Throws unless the term is
  /// a literal or an argument.
  func constant(_ term: SyntaxTree.Term, hint: ElementType?) throws(QueryError) -> Constant {
    switch term {
    case .literal(let literal, let offset): try constant(literal, offset, hint: hint)
    case .argument(let index, _, let offset):
      try constant(argument: index, value(of: index, offset), offset, hint: hint)
    case .list, .path, .aggregate, .subquery, .arithmetic: throw .incompletePath(offset: term.offset)
    }
  }

  /// Returns the constant that a literal stands for.
  func constant(
    _ literal: SyntaxTree.Literal, _ offset: Int, hint: ElementType?
  ) throws(QueryError) -> Constant {
    switch literal {
    case .null: .value(.null)
    case .bool(let value): .value(.bool(value))
    case .integer(let text): .value(try integer(text, offset, hint: hint))
    case .float(let text, let isFloat32): .value(try float(text, isFloat32: isFloat32, offset, hint: hint))
    case .infinity(let isNegative): .value(try infinity(isNegative, offset, hint: hint))
    case .nan: .value(try nan(offset, hint: hint))
    case .string(let text): .value(Self.number(text, hint: hint) ?? .string(text))
    case .data(let bytes): .value(.data(bytes))
    case .date(let seconds, let nanoseconds): .value(.date(Date(seconds: seconds, nanoseconds: nanoseconds)))
    case .uuid(let text): .value(try valid(UUID(text).map { .uuid($0) }, offset))
    case .objectID(let text): .value(try valid(ObjectID(text).map { .objectID($0) }, offset))
    case .object(let name, let primaryKey): try object(name, primaryKey: primaryKey, offset)
    }
  }

  private func valid(_ value: Mixed?, _ offset: Int) throws(QueryError) -> Mixed {
    guard let value else { throw .numberOutOfRange(offset: offset) }
    return value
  }

  private func integer(_ text: String, _ offset: Int, hint: ElementType?) throws(QueryError) -> Mixed {
    if text.hasPrefix("0x") || text.hasPrefix("0X") {
      guard let value = UInt64(text.dropFirst(2), radix: 16) else { throw .numberOutOfRange(offset: offset) }
      if value > UInt64(Int64.max) { throw .numberOutOfRange(offset: offset) }
      return hint == .decimal128 ? .decimal128(Decimal128(Int64(value))) : .int(Int64(value))
    }
    if hint == .decimal128 { return try valid(Decimal128(text).map { .decimal128($0) }, offset) }
    if let value = Int64(text) { return .int(value) }
    // Sums of ints may be as large, and are decimals then.
    if hint == .int, let decimal = Decimal128(text) { return .decimal128(decimal) }
    return try float(text, isFloat32: false, offset, hint: hint)
  }

  private func float(
    _ text: String, isFloat32: Bool, _ offset: Int, hint: ElementType?
  ) throws(QueryError) -> Mixed {
    if hint == .decimal128 { return try valid(Decimal128(text).map { .decimal128($0) }, offset) }
    guard let double = Double(text) else { throw .numberOutOfRange(offset: offset) }
    if hint == .int, let integer = Int64(exactly: double) { return .int(integer) }
    if hint == .float || isFloat32 { return .float(Float(text) ?? Float(double)) }
    return .double(double)
  }

  private func infinity(_ isNegative: Bool, _ offset: Int, hint: ElementType?) throws(QueryError) -> Mixed {
    let value = isNegative ? -Double.infinity : Double.infinity
    switch hint {
    case .float: return .float(Float(value))
    case .double, .mixed, nil: return .double(value)
    case .decimal128: return .decimal128(Decimal128(rounding: value))
    case .int?, .bool?, .string?, .data?, .date?, .objectID?, .uuid?, .object?:
      throw .infinityUnsupported(offset: offset, type: hint?.name ?? "")
    }
  }

  private func nan(_ offset: Int, hint: ElementType?) throws(QueryError) -> Mixed {
    switch hint {
    case .float: return .float(.nan)
    case .double, .mixed, nil: return .double(.nan)
    case .decimal128: return .decimal128(.nan)
    case .int?, .bool?, .string?, .data?, .date?, .objectID?, .uuid?, .object?:
      throw .infinityUnsupported(offset: offset, type: hint?.name ?? "")
    }
  }

  /// `age == '5'` is legal: a string that looks like a number becomes one where numbers are compared.
  private static func number(_ text: String, hint: ElementType?) -> Mixed? {
    switch hint {
    case .int:
      Int64(text).map { .int($0) } ?? Double(text).flatMap { $0.isFinite ? .double($0) : nil }
    case .float: Float(text).map { .float($0) }
    case .double: Double(text).map { .double($0) }
    case .decimal128: Decimal128(text).map { .decimal128($0) }
    case .bool, .string, .data, .date, .objectID, .uuid, .mixed, .object, nil: nil
    }
  }
}

/// Links.
extension ConstantBinder {
  private func object(
    _ name: String, primaryKey: SyntaxTree.Term, _ offset: Int
  ) throws(QueryError) -> Constant {
    let type = try linkType(name, offset)
    return .object(
      objectType: type.name,
      primaryKey: try primaryKeyValue(constant(primaryKey, hint: type.primaryKeyType), offset))
  }

  /// The class of that name; realm-core's prefix `class_` may stand before it.
  private func linkType(_ name: String, _ offset: Int) throws(QueryError) -> ObjectType {
    if schema[name] == nil, name.hasPrefix("class_"), let type = schema[String(name.dropFirst(6))] {
      return type
    }
    return try objectType(name, offset: offset)
  }

  private func primaryKeyValue(_ constant: Constant, _ offset: Int) throws(QueryError) -> Mixed {
    guard case .value(let value) = constant else { throw .incompletePath(offset: offset) }
    return value
  }
}

/// Arguments.
extension ConstantBinder {
  /// Returns the constant that the value of an argument stands for.
  func constant(
    argument index: Int, _ value: Value, _ offset: Int, hint: ElementType?
  ) throws(QueryError) -> Constant {
    switch value {
    case .null, .undefined: return .value(.null)
    case .bool(let value): return .value(.bool(value))
    case .int32(let value): return .value(Self.argument(Int64(value), hint: hint))
    case .int64(let value): return .value(Self.argument(value, hint: hint))
    case .double(let value) where value.isNaN: return .value(try nan(offset, hint: hint))
    case .double(let value) where value.isInfinite:
      return .value(try infinity(value < 0, offset, hint: hint))
    case .double(let value): return .value(Self.argument(value, hint: hint))
    case .decimal128(let value):
      // As the literal: only what is compared with another type than its own is refused.
      if value.isNaN { _ = try nan(offset, hint: hint) }
      if value.isInfinite { _ = try infinity(false, offset, hint: hint) }
      return .value(.decimal128(value))
    case .string(let text), .symbol(let text):
      return .value(try Self.argument(text, number: index, offset, hint: hint))
    case .binary(let binary) where binary.subtype != 0 && hint == .mixed:
      throw .argumentTypeMismatch(offset: offset, index: index, type: "mixed")
    case .binary(let binary): return .value(.data(binary.bytes))
    case .uuid(let value): return .value(.uuid(value))
    case .objectID(let value): return .value(.objectID(value))
    case .date(let value): return .value(.date(value))
    case .document(let document): return try link(document, argument: index, offset)
    case .array, .timestamp, .regularExpression, .minKey, .maxKey, .javaScript, .javaScriptWithScope,
      .dbPointer:
      throw .argumentTypeMismatch(offset: offset, index: index, type: hint?.name ?? "constant")
    }
  }

  private static func argument(_ value: Int64, hint: ElementType?) -> Mixed {
    hint == .decimal128 ? .decimal128(Decimal128(value)) : .int(value)
  }

  private static func argument(_ value: Double, hint: ElementType?) -> Mixed {
    switch hint {
    case .float: .float(Float(value))
    case .int: Int64(exactly: value).map { .int($0) } ?? .double(value)
    case .bool, .double, .decimal128, .string, .data, .date, .objectID, .uuid, .mixed, .object, nil:
      .double(value)
    }
  }

  /// Plain JSON says some types as strings; what they are compared with tells which.
  private static func argument(
    _ text: String, number index: Int, _ offset: Int, hint: ElementType?
  ) throws(QueryError) -> Mixed {
    let value: Mixed?
    switch hint {
    case .objectID: value = ObjectID(text).map { .objectID($0) }
    case .uuid: value = UUID(text).map { .uuid($0) }
    case .date: value = Date(text).map { .date($0) }
    case .decimal128: value = Decimal128(text).map { .decimal128($0) }
    case .bool, .int, .float, .double, .string, .data, .mixed, .object, nil: value = .string(text)
    }
    guard let value else {
      throw .argumentTypeMismatch(offset: offset, index: index, type: hint?.name ?? "")
    }
    return value
  }

  /// `{"$ref": "Class", "$id": primary key}`.
  private func link(_ document: Document, argument index: Int, _ offset: Int) throws(QueryError) -> Constant {
    guard document.elements.count == 2, case .string(let name)? = document["$ref"], let id = document["$id"]
    else { throw .argumentTypeMismatch(offset: offset, index: index, type: "constant") }
    let type = try objectType(name, offset: offset)
    let key = try constant(argument: index, id, offset, hint: type.primaryKeyType)
    return .object(objectType: type.name, primaryKey: try primaryKeyValue(key, offset))
  }
}

extension ObjectType {
  /// The type of what identifies an object: its primary key, or `_key`.
  var primaryKeyType: ElementType {
    if case .one(let type, _)? = primaryKey?.type { type } else { .int }
  }
}
