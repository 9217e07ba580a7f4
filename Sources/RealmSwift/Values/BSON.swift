#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
extension RegularExpression: BSON {}
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

/// A pattern and its options, as BSON has them. Nothing here runs it, which takes a library of regular expressions: on
/// other systems this is `NSRegularExpression`, which is in the part of Foundation that this package does without.
public struct RegularExpression: Hashable, Sendable {
  /// The pattern.
  public let pattern: String
  /// One letter for each option, in alphabetical order.
  public let options: String

  /// Creates a regular expression without looking at its pattern.
  public init(pattern: String, options: String = "") {
    self.pattern = pattern
    self.options = String(options.sorted())
  }
}
