import GatehouseBSON
import GatehouseCrypto
import GatehouseModel
import GatehouseQuery

/// Writes the place where the next page of one query begins as text, and reads it again.
///
/// The text is Base64url (RFC 4648 §5, without padding) of these bytes:
///
///     ┌──────────┬─────────────────────────────────────────────────────┐
///     │ checksum │ BSON: {q: query's hash, v: sort values, k: the key} │   checksum: FNV-1a 64, little-endian
///     └──────────┴─────────────────────────────────────────────────────┘
///
/// It is opaque to clients, but no secret: all that a forged one can do is begin a page elsewhere. To callers who may not
/// see all objects, keys would tell how many others there are: theirs is the document alone, sealed with a secret of the store's.
struct CursorToken: Sendable {
  /// The digest of the class and of the parameters that decide which objects there are and in which order; a client
  /// that changes others keeps its place.
  private let queryHash: UInt64
  /// Nil: nothing is hidden from the caller.
  private let seal: MessageSeal?

  /// Makes the token of a query, the same whether it came in a URL or in the content of a request.
  init(objectType: String, _ query: QueryParameters, seal: MessageSeal? = nil) {
    self.seal = seal
    let request = query.request
    var hash = FNV1a()
    hash.combine(objectType)
    CursorToken.combine(request.filter, into: &hash)
    let arguments = request.arguments.isEmpty ? nil : Value.array(request.arguments).extendedJSON
    CursorToken.combine(arguments.map { String(decoding: $0, as: UTF8.self) }, into: &hash)
    CursorToken.combine(request.sort, into: &hash)
    CursorToken.combine(request.distinct, into: &hash)
    // Only where it is there, so that the places of other queries stay what they are.
    if let sectionBy = query.sectionBy { CursorToken.combine(sectionBy, into: &hash) }
    queryHash = hash.value
  }

  private static func combine(_ part: String?, into hash: inout FNV1a) {
    hash.combine(part == nil ? 0xFE : 0xFF)
    if let part { hash.combine(part) }
  }

  /// - Parameter shard: The number of the store that has the place's object, where several have the results; nil: one has them.
  func text(of cursor: Cursor, shard: Int? = nil) -> String {
    var start: [UInt8] = []
    start.reserveCapacity(128)
    // The checksum's place.
    for _ in 0..<8 { start.append(0) }
    var writer = BSONWriter(appendingTo: start)
    writer.beginDocument()
    writer.key(Keys.query)
    writer.int64(Int64(bitPattern: queryHash))
    writer.key(Keys.values)
    writer.beginArray()
    for value in cursor.values { writer.value(CursorToken.value(value)) }
    writer.endArray()
    writer.key(Keys.key)
    writer.int64(cursor.key.value)
    if let shard {
      writer.key(Keys.shard)
      writer.int64(Int64(shard))
    }
    writer.endDocument()
    guard var bytes = try? writer.finish() else { preconditionFailure("a name with a zero byte") }
    precondition(shard ?? 0 >= 0, "stores are numbered from 0")
    if let seal { return Base64.encode(seal.seal(Array(bytes[8...])), as: .urlSafe) }
    let checksum = CursorToken.checksum(of: bytes)
    for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: checksum >> (index * 8)) }
    return Base64.encode(bytes, as: .urlSafe)
  }

  /// Returns the place in results that one store has. Throws ``APIError/invalidCursor`` and ``APIError/foreignCursor``.
  func cursor(from text: String) throws(APIError) -> Cursor {
    let place = try place(from: text)
    guard place.shard == nil else { throw .invalidCursor }
    return place.cursor
  }

  /// Returns the place, and the number of the store that has its object, where several have the results. Throws
  /// ``APIError/invalidCursor`` and ``APIError/foreignCursor``.
  func place(from text: String) throws(APIError) -> (cursor: Cursor, shard: Int?) {
    guard let bytes = Base64.decode(text, as: .urlSafe), let bson = bson(in: bytes),
      let document = try? Document(bson: bson),
      case .int64(let hash) = document["q"], case .array(let values) = document["v"],
      case .int64(let key) = document["k"],
      // No object has it, and there is none before it.
      key > .min
    else { throw .invalidCursor }
    guard UInt64(bitPattern: hash) == queryHash else { throw .foreignCursor }
    let mixed = values.compactMap(CursorToken.mixed)
    guard mixed.count == values.count else { throw .invalidCursor }
    var shard: Int?
    if case .int64(let number)? = document["s"] { shard = Int(number) }
    return (Cursor(values: mixed, key: ObjectKey(key)), shard)
  }

  /// Returns the document in the bytes; nil where they are not what ``text(of:)`` made.
  private func bson(in bytes: [UInt8]) -> ArraySlice<UInt8>? {
    if let seal { return seal.open(bytes).map { $0[...] } }
    guard bytes.count > 8,
      bytes[..<8].reversed().reduce(0, { $0 << 8 | UInt64($1) }) == CursorToken.checksum(of: bytes)
    else { return nil }
    return bytes[8...]
  }

  /// Returns the checksum of the document, which stands behind the checksum's place.
  private static func checksum(of bytes: [UInt8]) -> UInt64 {
    var hash = FNV1a()
    hash.combine(bytes.span.extracting(8...))
    return hash.value
  }

  private enum Keys {
    static let query = PreparedKey("q")
    static let values = PreparedKey("v")
    static let key = PreparedKey("k")
    static let shard = PreparedKey("s")
  }
}

extension CursorToken {
  /// A sort value as BSON. What BSON lacks or cuts short is a document of one element.
  private static func value(_ mixed: Mixed) -> Value {
    switch mixed {
    case .null: .null
    case .bool(let bool): .bool(bool)
    case .int(let int): .int64(int)
    case .float(let float): .document(["f": .int64(Int64(float.bitPattern))])
    case .double(let double): .double(double)
    case .decimal128(let decimal): .decimal128(decimal)
    case .string(let text): .string(text)
    case .data(let bytes): .binary(Binary(bytes: bytes))
    case .date(let date): .document(["t": .array([.int64(date.seconds), .int64(Int64(date.nanoseconds))])])
    case .objectID(let id): .objectID(id)
    case .uuid(let uuid): .uuid(uuid)
    case .link(let link): .document(["o": .array([.string(link.objectType), .int64(link.key.value)])])
    case .list(let values): .document(["l": .array(values.map(value))])
    case .dictionary(let entries):
      .document(["d": .array(entries.flatMap { [.string($0.key), value($0.value)] })])
    }
  }

  private static func mixed(_ value: Value) -> Mixed? {
    switch value {
    case .null: .null
    case .bool(let bool): .bool(bool)
    case .int64(let int): .int(int)
    case .double(let double): .double(double)
    case .decimal128(let decimal): .decimal128(decimal)
    case .string(let text): .string(text)
    case .binary(let binary): .data(binary.bytes)
    case .objectID(let id): .objectID(id)
    case .uuid(let uuid): .uuid(uuid)
    case .document(let document): document.elements.count == 1 ? mixed(document.elements[0]) : nil
    case .int32, .date, .array, .timestamp, .regularExpression, .minKey, .maxKey, .undefined, .symbol,
      .javaScript, .javaScriptWithScope, .dbPointer:
      nil
    }
  }

  private static func mixed(_ element: Document.Element) -> Mixed? {
    switch (element.key, element.value) {
    case ("f", .int64(let bits)): return UInt32(exactly: bits).map { .float(Float(bitPattern: $0)) }
    case ("t", .array(let parts)): return date(parts).map { .date($0) }
    case ("o", .array(let parts)): return link(parts).map { .link($0) }
    case ("l", .array(let values)):
      let list = values.compactMap(mixed)
      return list.count == values.count ? .list(list) : nil
    case ("d", .array(let parts)): return dictionary(parts)
    default: return nil
    }
  }

  private static func date(_ parts: [Value]) -> Date? {
    guard parts.count == 2, case .int64(let seconds) = parts[0], case .int64(let nanoseconds) = parts[1],
      (0..<1_000_000_000).contains(nanoseconds)
    else { return nil }
    return Date(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  private static func link(_ parts: [Value]) -> ObjectLink? {
    guard parts.count == 2, case .string(let objectType) = parts[0], case .int64(let key) = parts[1] else {
      return nil
    }
    return ObjectLink(objectType: objectType, key: ObjectKey(key))
  }

  private static func dictionary(_ parts: [Value]) -> Mixed? {
    guard parts.count.isMultiple(of: 2) else { return nil }
    var entries: [Mixed.Entry] = []
    for index in stride(from: 0, to: parts.count, by: 2) {
      guard case .string(let key) = parts[index], let value = mixed(parts[index + 1]) else { return nil }
      entries.append(Mixed.Entry(key: key, value: value))
    }
    return .dictionary(entries)
  }
}

extension Mixed {
  /// Whether it is a value as SQLite has it, which cursors of other results than sections have.
  var isStored: Bool {
    switch self {
    case .null, .int, .double, .string, .data: true
    case .bool, .float, .decimal128, .date, .objectID, .uuid, .link, .list, .dictionary: false
    }
  }
}
