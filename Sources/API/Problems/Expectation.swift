import GatehouseBSON

/// The token where a query went wrong, those that could stand there, and the name that may have been meant.
///
/// Texts of the query are not quoted: they may be values. Kinds of tokens, types and names of the schema are.
struct Expectation: Hashable, Sendable {
  var found: String?
  var expected: [String] = []
  var nearest: String?

  /// Appends the members that are known.
  func append(to document: inout Document) {
    if let found { document.append("found", .string(found)) }
    if !expected.isEmpty { document.append("expected", .array(expected.map { .string($0) })) }
    if let nearest { document.append("nearest", .string(nearest)) }
  }
}
