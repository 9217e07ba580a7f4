/// A dotted path, such as `address.lines.0`.
public struct FieldPath: Hashable, Sendable {
  public let components: [String]

  init(_ components: [String]) { self.components = components }

  /// How many fields a path may lead through.
  static let limit = 100

  /// The fields between the dots, empty ones included.
  static func split(_ text: String) throws(DocumentsError) -> [String] {
    // By bytes: a dot before a combining mark is one character with it.
    let components = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
    try checkLength(of: components)
    return components
  }

  static func checkLength(of components: [String]) throws(DocumentsError) {
    if components.count > limit { throw DocumentsError(.overflow, "FieldPath is too long") }
  }

  /// A path of an expression or a projection, which has no empty fields and none that begin with `$`.
  init(expression text: String) throws(DocumentsError) {
    if text.isEmpty { throw .at(40352, "FieldPath cannot be constructed with empty string") }
    if text.utf8.last == UInt8(ascii: ".") { throw .at(40353, "FieldPath must not end with a '.'.") }
    components = try FieldPath.split(text)
    for component in components {
      if component.isEmpty { throw .at(15998, "FieldPath field names may not be empty strings.") }
      if component.utf8.first == UInt8(ascii: "$") {
        throw .at(
          16410, "FieldPath field names may not start with '$'. Consider using $getField or $setField.")
      }
      if component.utf8.contains(0) {
        throw .at(16411, "FieldPath field names may not contain '\\0'.")
      }
    }
  }

  public var text: String { components.joined(separator: ".") }
}

extension String {
  /// The place in an array that a component of a path may mean: digits without a leading zero.
  var arrayIndex: Int? {
    let digits = utf8
    guard !digits.isEmpty, digits.count < 10, digits.allSatisfy({ $0 &- 0x30 < 10 }),
      digits.count == 1 || digits.first != 0x30
    else { return nil }
    return Int(self)
  }
}
