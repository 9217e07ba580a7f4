/// A type that Extended JSON writes as a document with keys that begin with `$`.
///
/// Source: <https://github.com/mongodb/specifications/blob/master/source/extended-json/extended-json.md>.
/// `$uuid`, `$regex` with `$options`, and `$binary` with `$type` are read but never written in canonical text.
enum ExtendedJSONType {
  case objectID, symbol, int32, int64, double, decimal128, binary, legacyBinary, uuid, code, codeWithScope
  case timestamp, regularExpression, legacyRegularExpression, dbPointer, date, minKey, maxKey, undefined

  /// The type whose key a document begins with, or nil for a document that is just that.
  ///
  /// Whether the rest of the document suits the type is ``value(of:)``'s to say, except for keys that are
  /// operators of a query as well (`$regex`, `$type`).
  init?(of document: Document) {
    let keys = document.elements.prefix(3).map(\.key)
    switch keys.first {
    case "$oid": self = .objectID
    case "$symbol": self = .symbol
    case "$numberInt": self = .int32
    case "$numberLong": self = .int64
    case "$numberDouble": self = .double
    case "$numberDecimal": self = .decimal128
    case "$binary": self = keys.contains("$type") ? .legacyBinary : .binary
    case "$uuid": self = .uuid
    case "$code": self = keys.contains("$scope") ? .codeWithScope : .code
    case "$timestamp": self = .timestamp
    case "$regularExpression": self = .regularExpression
    case "$dbPointer": self = .dbPointer
    case "$date": self = .date
    case "$minKey": self = .minKey
    case "$maxKey": self = .maxKey
    case "$undefined": self = .undefined
    case "$scope" where keys == ["$scope", "$code"]: self = .codeWithScope
    case "$type" where keys == ["$type", "$binary"]: self = .legacyBinary
    case "$options" where keys == ["$options", "$regex"], "$regex" where keys.count <= 2:
      guard case .string = document["$regex"], keys.count == 1 || keys.contains("$options") else {
        return nil
      }
      self = .legacyRegularExpression
    default: return nil
    }
  }

  /// The value that the document stands for, or nil if it is malformed.
  func value(of document: Document) -> Value? {
    switch self {
    case .legacyBinary: Self.legacyBinary(document)
    case .codeWithScope: Self.codeWithScope(document)
    case .legacyRegularExpression: Self.legacyRegularExpression(document)
    default: document.elements.count == 1 ? value(document.elements[0].value) : nil
    }
  }

  private func value(_ content: Value) -> Value? {
    switch (self, content) {
    case (.symbol, .string(let text)): .symbol(text)
    case (.code, .string(let text)): .javaScript(text)
    case (.timestamp, .document(let parts)): Self.timestamp(parts)
    case (.regularExpression, .document(let parts)): Self.regularExpression(parts)
    case (.binary, .document(let parts)): Self.binary(parts)
    case (.dbPointer, .document(let parts)): Self.dbPointer(parts)
    case (.date, .int32(let number)): .date(Date(milliseconds: Int64(number)))
    case (.date, .int64(let number)): .date(Date(milliseconds: number))
    case (.minKey, .int32(1)): .minKey
    case (.maxKey, .int32(1)): .maxKey
    case (.undefined, .bool(true)): .undefined
    case (_, .string(let text)): value(text)
    default: nil
    }
  }

  private func value(_ text: String) -> Value? {
    switch self {
    case .objectID: ObjectID(text).map { .objectID($0) }
    case .int32: Int32(strict: text).map { .int32($0) }
    case .int64: Int64(strict: text).map { .int64($0) }
    case .double: Double(extendedJSON: text).map { .double($0) }
    case .decimal128: Decimal128(text).map { .decimal128($0) }
    case .uuid: UUID(text).map { .uuid($0) }
    case .date: Date(text).map { .date($0) }
    default: nil
    }
  }
}
