public import Foundation

/// A value that a partition of synchronized data can be named by.
public protocol PartitionValue: Sendable {}

/// A type whose values BSON has.
public protocol BSON: PartitionValue, Equatable {}

extension Int: BSON {}
extension Int32: BSON {}
extension Int64: BSON {}
extension Bool: BSON {}
extension Double: BSON {}
extension String: BSON {}
extension Data: BSON {}
extension Date: BSON {}
extension Decimal128: BSON {}
extension ObjectId: BSON {}
extension UUID: BSON {}
extension NSRegularExpression: BSON {}
extension NSNull: BSON {}
extension MaxKey: BSON {}
extension MinKey: BSON {}

/// Named values of BSON.
public typealias Document = [String: AnyBSON?]

extension Dictionary: BSON, PartitionValue where Key == String, Value == AnyBSON? {}
extension Array: BSON, PartitionValue where Element == AnyBSON? {}

/// The value that is greater than every other in BSON.
public struct MaxKey: Hashable, Sendable {
  /// Creates the value.
  public init() {}
}

/// The value that is less than every other in BSON.
public struct MinKey: Hashable, Sendable {
  /// Creates the value.
  public init() {}
}

// Regular expressions as BSON has them; other options are left out, as in Realm.
extension NSRegularExpression {
  private static let letters: [(letter: Character, option: Options)] = [
    ("i", .caseInsensitive), ("m", .anchorsMatchLines), ("s", .dotMatchesLineSeparators),
    ("x", .allowCommentsAndWhitespace),
  ]

  /// A regular expression with BSON's letters for options. A pattern that Foundation does not read becomes one of its own text.
  static func stored(pattern: String, options letters: String) -> NSRegularExpression {
    var options: Options = []
    for (letter, option) in Self.letters where letters.contains(letter) { options.insert(option) }
    if let expression = try? NSRegularExpression(pattern: pattern, options: options) { return expression }
    options.insert(.ignoreMetacharacters)
    if let expression = try? NSRegularExpression(pattern: pattern, options: options) { return expression }
    fatalError("A text without metacharacters is a pattern.")
  }

  /// BSON's letters for the options, in alphabetical order.
  var optionLetters: String {
    String(Self.letters.filter { options.contains($0.option) }.map(\.letter))
  }
}
