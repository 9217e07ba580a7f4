/// JSON text that is being written: the bytes, and whether the next value needs a comma before it.
public struct JSONOutput {
  @usableFromInline var bytes: [UInt8]
  @usableFromInline var needsComma = false

  @inlinable
  init(appendingTo bytes: consuming [UInt8]) {
    self.bytes = bytes
  }

  /// Makes ready for a value.
  @inlinable @inline(__always)
  mutating func separate() {
    if needsComma { bytes.append(0x2C) }
    needsComma = true
  }

  /// Where the next value begins.
  var place: Int { needsComma ? bytes.count + 1 : bytes.count }

  /// Writes the bytes of a value once more.
  mutating func repeatValue(at range: Range<Int>) {
    separate()
    bytes.append(contentsOf: Array(bytes[range]))
  }

  /// Writes a value that is JSON already.
  mutating func append(json: [UInt8]) {
    separate()
    bytes.append(contentsOf: json)
  }

  @inlinable
  mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  @inlinable
  mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  @inlinable
  mutating func key(_ key: PreparedKey) {
    let skipped = needsComma ? 0 : 1
    key.json.withUnsafeBufferPointer { bytes.append(UnsafeBufferPointer(rebasing: $0[skipped...])) }
    needsComma = false
  }

  @inlinable
  mutating func key(_ utf8: UnsafeBufferPointer<UInt8>) {
    quoted(escaping: utf8, colon: true)
    needsComma = false
  }

  @usableFromInline
  mutating func key(_ name: String) {
    var name = name
    name.withUTF8 { key($0) }
  }

  /// Writes text that is JSON already.
  @inlinable
  mutating func literal(_ text: StaticString) {
    separate()
    append(text)
  }

  @inlinable @inline(__always)
  mutating func append(_ text: StaticString) {
    bytes.append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inlinable
  mutating func bool(_ value: Bool) {
    separate()
    append(value ? "true" : "false")
  }

  @inlinable
  mutating func integer(_ value: Int64) {
    separate()
    bytes.appendDecimal(value)
  }

  /// Writes text that needs no escapes between quotes.
  @inlinable
  mutating func quoted(_ ascii: UnsafeBufferPointer<UInt8>) {
    bytes.append(ascii, comma: needsComma, colon: false)
    needsComma = true
  }

  /// Writes text between quotes, if it is ASCII that needs no escapes; otherwise returns false and writes nothing.
  @inlinable
  mutating func copy(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard JSONOutput.isPlain(text) else { return false }
    quoted(text)
    return true
  }

  /// Whether the text is ASCII that needs no escapes.
  @usableFromInline
  static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = text.baseAddress else { return false }
    let stop = StringScan.firstSpecial(base, from: 0, to: text.count)
    return stop.isASCII && stop.position == text.count && stop.position > 0
  }

  /// Writes text that needs no escapes between quotes.
  @inlinable
  mutating func quoted(_ value: some TextRepresentable) {
    separate()
    bytes.append(0x22)
    value.appendText(to: &bytes)
    bytes.append(0x22)
  }

  @inlinable
  mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) {
    quoted(escaping: utf8, colon: false)
    needsComma = true
  }

  @usableFromInline
  mutating func quoted(escaping utf8: UnsafeBufferPointer<UInt8>, colon: Bool) {
    guard let base = utf8.baseAddress,
      StringScan.firstSpecial(base, from: 0, to: utf8.count).position < utf8.count
    else { return bytes.append(utf8, comma: needsComma, colon: colon) }
    if needsComma { bytes.append(0x2C) }
    bytes.append(0x22)
    bytes.appendEscaped(utf8)
    bytes.append(0x22)
    if colon { bytes.append(0x3A) }
  }

  @usableFromInline
  mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { string($0) }
  }

  @usableFromInline
  mutating func base64(_ data: UnsafeBufferPointer<UInt8>) {
    separate()
    bytes.append(0x22)
    Base64.append(data, to: &bytes)
    bytes.append(0x22)
  }
}
