/// Takes a value piece by piece and writes it in one representation.
///
/// Whoever holds data in another form (the rows of a store) writes through this protocol straight into the
/// answer's bytes, without building a ``Value`` first. Calls must nest: `beginDocument`, then pairs of a key
/// and one value, then `endDocument`; arrays alike.
///
/// The typed members know what the schema says, so that plain JSON may write a date as a bare string;
/// ``value(_:)`` does not, so that plain JSON falls back to Extended JSON where JSON can't say the type.
public protocol ValueWriter {
  mutating func beginDocument()
  mutating func endDocument()
  mutating func beginArray()
  mutating func endArray()
  /// The name of the value that follows, in a document.
  mutating func key(_ key: PreparedKey)
  /// The name of the value that follows, in a document, as UTF-8.
  mutating func key(_ utf8: UnsafeBufferPointer<UInt8>)
  mutating func null()
  mutating func bool(_ value: Bool)
  mutating func int64(_ value: Int64)
  mutating func double(_ value: Double)
  /// Shortest digits that give the same float32.
  mutating func float(_ value: Float)
  mutating func decimal128(_ value: Decimal128)
  /// Well-formed UTF-8.
  mutating func string(_ utf8: UnsafeBufferPointer<UInt8>)
  mutating func data(_ bytes: UnsafeBufferPointer<UInt8>)
  mutating func date(_ value: Date)
  mutating func objectID(_ value: ObjectID)
  mutating func uuid(_ value: UUID)
  /// A value whose type the schema does not fix.
  mutating func value(_ value: Value)
}

/// A document key in every spelling that a writer needs, made once and used for every row.
public struct PreparedKey: Hashable, Sendable {
  public let name: String
  /// The key as JSON: quoted and escaped, with the colon.
  @usableFromInline let json: [UInt8]

  public init(_ name: String) {
    self.name = name
    json = []  // the JSON writer's target fills this in
  }
}
