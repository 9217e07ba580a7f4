/// Writes BSON bytes, one document or array.
///
/// Dates lose what is below a millisecond. A float32 is the double that equals it.
public struct BSONWriter: ValueWriter {
  @usableFromInline
  struct Container {
    /// Where its length goes.
    @usableFromInline let start: Int
    /// Elements so far of an array, nil for a document.
    @usableFromInline var count: Int?

    @usableFromInline
    init(start: Int, count: Int?) {
      self.start = start
      self.count = count
    }
  }

  @usableFromInline var bytes: [UInt8]
  /// The containers that are still open, outermost first.
  @usableFromInline var open: [Container] = []
  /// Where the type of the value goes whose name was written last.
  @usableFromInline var typeOffset = 0
  /// Whether a name with a zero byte in it is written with U+FFFD in its place, rather than refused: for what is stored
  /// already.
  public var replacesZeroBytes = false
  /// The first rule that broke.
  @usableFromInline var failure: BSONError?

  /// Goes on behind what `bytes` holds; they should have room for what follows.
  @inlinable
  public init(appendingTo bytes: consuming [UInt8] = []) {
    self.bytes = bytes
  }

  /// All the bytes, unless a name had a zero byte in it or a container is too large for BSON.
  @inlinable
  public consuming func finish() throws(BSONError) -> [UInt8] {
    if let failure { throw failure }
    precondition(open.isEmpty, "what was begun has ended")
    return bytes
  }

  /// How many bytes there are by now.
  @inlinable
  public var count: Int { bytes.count }

  /// Writes the type of a value, and its index if it is in an array.
  ///
  /// - Precondition: a container is open. BSON knows no value outside of one.
  @inlinable
  mutating func type(_ type: BSONType) {
    guard let count = open[open.count - 1].count else {
      bytes[typeOffset] = type.rawValue
      return
    }
    bytes.append(type.rawValue)
    bytes.appendDecimal(Int64(count))
    bytes.append(0)
    open[open.count - 1].count = count + 1
  }

  @usableFromInline
  mutating func begin(_ type: BSONType, count: Int?) {
    if !open.isEmpty { self.type(type) }
    open.append(Container(start: bytes.count, count: count))
    bytes.appendLittleEndian(0 as Int32)
  }

  @usableFromInline
  mutating func end(isArray: Bool) {
    precondition(
      open.last.map { ($0.count != nil) == isArray } ?? false, "a container ends as what it began as")
    bytes.append(0)
    let start = open.removeLast().start
    writeLength(bytes.count - start, at: start)
  }

  @usableFromInline
  mutating func writeLength(_ length: Int, at offset: Int) {
    guard let length = Int32(exactly: length) else { return fail(.tooLarge, at: offset) }
    for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
  }

  @usableFromInline
  mutating func fail(_ rule: BSONError.Rule, at offset: Int) {
    if failure == nil { failure = BSONError(rule, at: offset) }
  }

  public mutating func beginDocument() {
    begin(.document, count: nil)
  }

  public mutating func endDocument() {
    end(isArray: false)
  }

  public mutating func beginArray() {
    begin(.array, count: 0)
  }

  public mutating func endArray() {
    end(isArray: true)
  }

  @inlinable
  public mutating func key(_ key: PreparedKey) {
    key.cString.withUnsafeBufferPointer { self.key(UnsafeBufferPointer(rebasing: $0.dropLast())) }
  }

  @inlinable
  public mutating func key(_ utf8: UnsafeBufferPointer<UInt8>) {
    typeOffset = bytes.count
    bytes.append(0)
    if replacesZeroBytes, utf8.contains(0) { return replaced(utf8) }
    cString(utf8)
  }

  /// Appends a name with U+FFFD in place of each zero byte.
  @usableFromInline
  mutating func replaced(_ utf8: UnsafeBufferPointer<UInt8>) {
    for byte in utf8 { bytes += byte == 0 ? [0xEF, 0xBF, 0xBD] : [byte] }
    bytes.append(0)
  }

  @usableFromInline
  mutating func cString(_ utf8: UnsafeBufferPointer<UInt8>) {
    if utf8.contains(0) { fail(.zeroByteInName, at: bytes.count) }
    bytes.append(utf8)
    bytes.append(0)
  }

  @inlinable
  public mutating func null() {
    type(.null)
  }

  @inlinable
  public mutating func bool(_ value: Bool) {
    type(.bool)
    bytes.append(value ? 1 : 0)
  }

  @inlinable
  public mutating func int64(_ value: Int64) {
    type(.int64)
    bytes.appendLittleEndian(value)
  }

  @inlinable
  public mutating func double(_ value: Double) {
    type(.double)
    bytes.appendLittleEndian(value.bitPattern)
  }

  @inlinable
  public mutating func decimal128(_ value: Decimal128) {
    type(.decimal128)
    bytes.appendLittleEndian(value.low)
    bytes.appendLittleEndian(value.high)
  }

  @inlinable
  public mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) {
    type(.string)
    text(utf8)
  }

  @usableFromInline
  mutating func text(_ utf8: UnsafeBufferPointer<UInt8>) {
    let start = bytes.count
    bytes.appendLittleEndian(0 as Int32)
    bytes.append(utf8)
    bytes.append(0)
    writeLength(utf8.count + 1, at: start)
  }

  @inlinable
  public mutating func data(_ data: UnsafeBufferPointer<UInt8>) {
    binary(data, subtype: 0)
  }

  @inlinable
  public mutating func date(_ value: Date) {
    type(.date)
    bytes.appendLittleEndian(value.milliseconds)
  }

  @inlinable
  public mutating func objectID(_ value: ObjectID) {
    type(.objectID)
    append(value)
  }

  @inlinable
  public mutating func uuid(_ value: UUID) {
    withUnsafeBytes(of: (value.high.bigEndian, value.low.bigEndian)) {
      binary($0.assumingMemoryBound(to: UInt8.self), subtype: 4)
    }
  }
}

extension [UInt8] {
  @inlinable @inline(__always)
  mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append($0.assumingMemoryBound(to: UInt8.self)) }
  }
}
