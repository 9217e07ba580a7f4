import Foundation

/// A value that shows others inside of it, down to so many levels.
protocol DescribedValue {
  /// Returns the text of the value with so many levels of others; none: what stands for it.
  func described(to levels: Int) -> String
}

/// The texts that objects and collections show of values, as Realm has them (`RLMDescriptionWithMaxDepth`).
enum ValueText {
  /// The levels that the text of an object, or a collection, has.
  static let levels = 5
  /// The most elements that the text of a collection has.
  static let elements = 100
  /// The text in place of a value that is nested too deep.
  static let tooDeep = "<Maximum depth exceeded>"
  private static let dataLength = 24

  /// Returns the text of a property's value; nil: there is none.
  static func ofProperty(_ value: Any?, to levels: Int) -> String {
    guard let value else { return "(null)" }
    guard let data = value as? Data else { return ofElement(value, to: levels) }
    return "<\(digits(of: data.prefix(dataLength))) — \(data.count) total bytes>"
  }

  /// Returns the text of a collection's element.
  static func ofElement(_ value: Any, to levels: Int) -> String {
    switch DynamicValue.unwrapped(value) {
    case nil: "<null>"
    case let value as any DescribedValue: value.described(to: levels)
    case let flag as Bool: flag ? "1" : "0"
    case let data as Data: "{length = \(data.count), bytes = 0x\(digits(of: data))}"
    case let mixed as AnyRealmValue: ofElement(mixed._rlmAny, to: levels)
    case let value?: "\(value)"
    }
  }

  /// Returns a text with its lines, from the second on, further to the right.
  static func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t")
  }

  /// Returns the name of the type of a collection's elements: that of a class, or Realm's of a value's type.
  static func name<Element>(of type: Element.Type) -> String {
    guard let type = type as? any _RealmSchemaDiscoverable.Type else { return ClassNames.name(of: type) }
    var property = Property(name: "", type: type._rlmType)
    type._rlmPopulateProperty(&property)
    return property.objectClassName ?? type._rlmType.name
  }

  /// Returns an address as texts have it.
  static func address(of identity: ObjectIdentifier) -> String {
    "0x\(String(UInt(bitPattern: identity.hashValue), radix: 16))"
  }

  private static func digits(of data: Data) -> String {
    data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
