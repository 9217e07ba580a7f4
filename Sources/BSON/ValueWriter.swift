/// Takes a value piece by piece and writes it in one representation.
///
/// Code that holds data in another form (the rows of a store) writes through this protocol straight into the
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
  /// The name of the value that follows, in a document, as well-formed UTF-8.
  mutating func key(_ utf8: UnsafeBufferPointer<UInt8>)
  mutating func null()
  mutating func bool(_ value: Bool)
  mutating func int64(_ value: Int64)
  mutating func double(_ value: Double)
  /// Where the representation has no float32, plain JSON writes the shortest digits that give the same
  /// float32, the others the double that equals it.
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

  /// How many bytes have been written so far; 0 where none are.
  var count: Int { get }
  /// Where among the bytes so far the next value begins; nil where no value can be repeated.
  var place: Int? { get }
  /// Writes the value that stands at those places once more.
  mutating func repeatValue(at range: Range<Int>)

  // The same types in the text form that the store keeps, which some representations copy as it is. Each returns false,
  // and writes nothing, where the text is none that it can write.

  /// Writes a date from what `appendStoredText` made of it.
  mutating func dateText(_ storedText: UnsafeBufferPointer<UInt8>) -> Bool
  /// Writes a Decimal128 from what `appendText` made of it.
  mutating func decimal128Text(_ text: UnsafeBufferPointer<UInt8>) -> Bool
  /// Writes an ObjectID from what `appendText` made of it.
  mutating func objectIDText(_ text: UnsafeBufferPointer<UInt8>) -> Bool
  /// Writes a UUID from what `appendText` made of it.
  mutating func uuidText(_ text: UnsafeBufferPointer<UInt8>) -> Bool
}

extension ValueWriter {
  public var count: Int { 0 }

  public var place: Int? { nil }

  public mutating func repeatValue(at range: Range<Int>) {
    preconditionFailure("this writer has no places")
  }

  public mutating func float(_ value: Float) {
    double(Double(value))
  }

  public mutating func dateText(_ storedText: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let value = Date(storedText: storedText) else { return false }
    date(value)
    return true
  }

  public mutating func decimal128Text(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let value = Decimal128(text: text) else { return false }
    decimal128(value)
    return true
  }

  public mutating func objectIDText(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let value = ObjectID(text: text) else { return false }
    objectID(value)
    return true
  }

  public mutating func uuidText(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let value = UUID(text: text) else { return false }
    uuid(value)
    return true
  }

  /// The name of the value that follows, in a document.
  public mutating func key(_ name: String) {
    var name = name
    name.withUTF8 { key($0) }
  }

  public mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { string($0) }
  }

  public mutating func data(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { data($0) }
  }
}
