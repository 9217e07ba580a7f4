/// Writes values as JSON text; its conformers differ in how they write what JSON has no type for.
///
/// Code that holds the concrete type gets all of this inlined: the protocol costs nothing.
public protocol JSONTextWriter: ValueWriter {
  /// The text written so far.
  var output: JSONOutput { get set }

  /// Goes on behind what `bytes` holds; they should have room for what follows.
  init(appendingTo bytes: consuming [UInt8])
}

extension JSONTextWriter {
  /// Begins a text of its own.
  @inlinable
  public init() {
    self.init(appendingTo: [])
  }

  /// All the bytes.
  @inlinable
  public consuming func finish() -> [UInt8] {
    output.bytes
  }

  /// How many bytes there are by now.
  @inlinable
  public var count: Int { output.bytes.count }

  /// Writes bytes that are none of the value's, such as a line feed between two values.
  @inlinable
  public mutating func separator(_ text: StaticString) {
    output.append(text)
    output.needsComma = false
  }

  /// Writes a value that is JSON already.
  public mutating func value(json: [UInt8]) {
    output.append(json: json)
  }

  public var place: Int? { output.place }

  public mutating func repeatValue(at range: Range<Int>) {
    output.repeatValue(at: range)
  }

  @inlinable
  public mutating func beginDocument() {
    output.begin(0x7B)
  }

  @inlinable
  public mutating func endDocument() {
    output.end(0x7D)
  }

  @inlinable
  public mutating func beginArray() {
    output.begin(0x5B)
  }

  @inlinable
  public mutating func endArray() {
    output.end(0x5D)
  }

  @inlinable
  public mutating func key(_ key: PreparedKey) {
    output.key(key)
  }

  @inlinable
  public mutating func key(_ utf8: UnsafeBufferPointer<UInt8>) {
    output.key(utf8)
  }

  @inlinable
  public mutating func null() {
    output.literal("null")
  }

  @inlinable
  public mutating func bool(_ value: Bool) {
    output.bool(value)
  }

  @inlinable
  public mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) {
    output.string(utf8)
  }
}
