import GatehouseBSON
import GatehouseModel

/// Values of one type as those of another, where nothing is lost by it: the result gives the value back.
///
/// A pure function of the value, so that the change log is read as the file was converted.
extension Mixed {
  /// Returns the value, of a property or collection of type `old`, where that has another type now; nil: no value of that type
  /// says the same. Of mixed values the type is a part of what they say, but for numbers, which are equal whatever their type.
  func converted(from old: ElementType, to new: ElementType) -> Mixed? {
    if old == new || self == .null { return self }
    if old == .mixed, elementType != new, !(new.isNumber && elementType?.isNumber == true) { return nil }
    return converted(to: new)
  }

  /// Returns the value of a property that has another type now; nil: no value of that type says the same. Null stays null.
  func converted(to type: ElementType) -> Mixed? {
    if self == .null { return .null }
    return switch type {
    case .mixed: self
    case .bool: bool.map { .bool($0) }
    case .int: integer.map { .int($0) }
    case .float: float.map { .float($0) }
    case .double: double.map { .double($0) }
    case .decimal128: decimal.map { .decimal128($0) }
    case .string: text.map { .string($0) }
    case .data: if case .data = self { self } else { nil }
    case .date: if case .date = self { self } else { canonical().map { .date($0) } }
    case .objectID: if case .objectID = self { self } else { canonical().map { .objectID($0) } }
    case .uuid: if case .uuid = self { self } else { canonical().map { .uuid($0) } }
    case .object: nil
    }
  }

  private var bool: Bool? {
    switch self {
    case .bool(let value): value
    case .int(0), .string("false"): false
    case .int(1), .string("true"): true
    default: nil
    }
  }

  private var integer: Int64? {
    switch self {
    case .int(let value): value
    case .bool(let value): value ? 1 : 0
    case .float(let value): Int64(exactly: value)
    case .double(let value): Int64(exactly: value)
    case .decimal128(let value): Int64(exactly: value)
    case .string(let text): Int64(text).flatMap { $0.description == text ? $0 : nil }
    default: nil
    }
  }

  private var double: Double? {
    switch self {
    case .int(let value): Double(exactly: value)
    case .float(let value): Double(value)
    case .double(let value): value
    case .decimal128(let value): Self.double(of: value)
    case .string: canonical().flatMap { Self.double(of: $0) }
    default: nil
    }
  }

  private var float: Float? {
    switch self {
    case .int(let value): Float(exactly: value)
    case .float(let value): value
    case .double(let value): value.isNaN ? .nan : Float(exactly: value)
    case .decimal128(let value): Self.float(of: value)
    case .string: canonical().flatMap { Self.float(of: $0) }
    default: nil
    }
  }

  private var decimal: Decimal128? {
    switch self {
    case .int(let value): Decimal128(value)
    case .float(let value): Self.decimal(of: value)
    case .double(let value): Decimal128(value)
    case .decimal128(let value): value
    case .string: canonical()
    default: nil
    }
  }

  private var text: String? {
    switch self {
    case .string(let text): text
    case .bool(let value): value ? "true" : "false"
    case .int(let value): value.description
    // Spelt as decimals are: one spelling for all numbers.
    case .float, .double, .decimal128: decimal?.description
    case .date(let value): value.description
    case .objectID(let value): value.description
    case .uuid(let value): value.description
    default: nil
    }
  }

  /// The value of a text that is spelt as its type spells it.
  private func canonical<Value: TextRepresentable>() -> Value? {
    guard case .string(let text) = self, let value = Value(text),
      ExactText(value.description) == ExactText(text)
    else { return nil }
    return value
  }

  private static func double(of decimal: Decimal128) -> Double? {
    let double = decimal.double
    return Decimal128.compare(Decimal128(double), decimal) == 0 ? double : nil
  }

  private static func float(of decimal: Decimal128) -> Float? {
    let float = Float(decimal.description) ?? .nan
    return Decimal128.compare(Self.decimal(of: float), decimal) == 0 ? float : nil
  }

  /// The decimal with the fewest digits that gives the float back: its digits fit into a double.
  private static func decimal(of float: Float) -> Decimal128 {
    Decimal128(Double(float.description) ?? .nan)
  }
}

extension ElementType {
  /// Whether there are values of the type that ``Mixed/converted(to:)`` can make values of another type of.
  func isConvertible(to other: ElementType) -> Bool {
    switch (self, other) {
    case (.object, _), (_, .object): false
    case (.mixed, _), (_, .mixed): true
    case (.data, _), (_, .data): false
    case (.string, _), (_, .string): true
    case (.bool, .int), (.int, .bool): true
    default: isNumber && other.isNumber
    }
  }

  fileprivate var isNumber: Bool {
    switch self {
    case .int, .float, .double, .decimal128: true
    case .bool, .string, .data, .date, .objectID, .uuid, .mixed, .object: false
    }
  }
}

extension PropertyType {
  /// Whether values of the type become those of another one, as far as they can: those of a collection one by one, a single
  /// one as the only element of a list or set, and the only element of one as a single value.
  func converts(to other: PropertyType) -> Bool {
    switch (self, other) {
    case (.one(let mine, _), .one(let theirs, _)), (.list(let mine, _), .list(let theirs, _)),
      (.map(let mine, _), .map(let theirs, _)):
      mine != theirs && mine.isConvertible(to: theirs)
    // The tables of sets with and without null differ.
    case (.set(let mine, _), .set(let theirs, _)):
      self != other && (mine == theirs || mine.isConvertible(to: theirs))
    case (.one(let mine, _), .list(let theirs, _)), (.one(let mine, _), .set(let theirs, _)),
      (.list(let mine, _), .one(let theirs, _)), (.set(let mine, _), .one(let theirs, _)):
      mine == theirs || mine.isConvertible(to: theirs)
    case (.one, _), (.list, _), (.set, _), (.map, _), (.linkingObjects, _): false
    }
  }
}

extension Property {
  /// Whether values of the property become those of another one, of another type, as far as they can.
  func converts(to other: Property) -> Bool { type.converts(to: other.type) }
}

extension SchemaChange {
  /// Whether it loses nothing unless there are objects that cannot follow: it is tried, without leave to lose anything.
  func isTried(in schema: Schema) -> Bool {
    switch self {
    case .optionalChanged: true
    // Objects with another primary key are others to clients.
    case .propertyRetyped(let objectType, let property, let old, let new):
      old.converts(to: new) && schema[objectType]?.primaryKey?.name != property
    default: false
    }
  }
}
