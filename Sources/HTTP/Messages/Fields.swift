/// The header fields of a message, in order.
///
/// The lines are packed into one stretch of bytes, which a request shares with its target: reading a head costs
/// one allocation, and a lookup hops from length to length.
///
///     ┌─────────────┬──────────────┬──────┬───────┐
///     │ name length │ value length │ name │ value │   per line; both lengths 32-bit
///     └─────────────┴──────────────┴──────┴───────┘
public struct Fields: Sendable {
  /// One field line.
  public struct Line: Hashable, Sendable {
    /// In lower case: names are case-insensitive (RFC 9110 §5.1).
    public var name: String
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Lines from `start` on; what is before belongs to the request's target.
  private var packed: HeadBytes
  private let start: UInt32
  /// Whether every line can be written without changing how the message is read: names are tokens, and no
  /// value holds CR, LF, NUL or another control byte (RFC 9110 §5.5).
  private(set) var areWritable = true

  init(packed: HeadBytes, start: UInt32) {
    self.packed = packed
    self.start = start
  }

  public init(_ lines: [Line] = []) {
    packed = HeadBytes()
    start = 0
    for line in lines { append(line) }
  }

  /// The lines, in order.
  public var lines: [Line] {
    var lines: [Line] = []
    forEachLine { name, value in
      lines.append(
        Line(name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self)))
    }
    return lines
  }

  public var isEmpty: Bool { packed.count == Int(start) }

  /// About how many bytes the lines take when they are written.
  var writtenSize: Int { packed.count - Int(start) }

  /// The values of all lines of that name, joined by `, ` as RFC 9110 §5.3 allows; nil when there is none.
  ///
  /// `name` is in lower case.
  public subscript(name: String) -> String? {
    guard packed.mayHaveLine(named: name) else { return nil }
    var found: String?
    forEachLine(named: name) { value in
      let value = String(decoding: value, as: UTF8.self)
      found = found.map { "\($0), \(value)" } ?? value
    }
    return found
  }

  /// Whether there is a line of that name, in lower case.
  public func contains(_ name: String) -> Bool {
    guard packed.mayHaveLine(named: name) else { return false }
    var isContained = false
    forEachLine(named: name) { _ in isContained = true }
    return isContained
  }

  /// Adds a line. `name` is a token in lower case.
  public mutating func append(_ name: StaticString, _ value: String) {
    assert(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount).isToken)
    var value = value
    value.withUTF8 { value in
      let value = UnsafeRawBufferPointer(value)
      packed.appendLine(lowercased: name, value: value)
      if value.firstControlByte(from: 0) != nil { areWritable = false }
    }
  }

  /// Adds a line that came from elsewhere.
  public mutating func append(_ line: Line) {
    var (name, value) = (line.name, line.value)
    name.withUTF8 { name in
      value.withUTF8 { value in
        let name = UnsafeRawBufferPointer(name)
        let value = UnsafeRawBufferPointer(value)
        packed.appendLine(name: name, value: value)
        if !name.isToken || value.firstControlByte(from: 0) != nil { areWritable = false }
      }
    }
  }

  /// Has one line of that name, a token in lower case, in place of those that there are.
  public mutating func replace(_ name: StaticString, _ value: String) {
    var fields = Fields(lines.filter { $0.name != name.description })
    fields.append(name, value)
    self = fields
  }

  /// Calls `body` with the bytes of the value of each line of that name.
  private func forEachLine(named wanted: String, _ body: (UnsafeRawBufferPointer) -> Void) {
    var wanted = wanted
    wanted.withUTF8 { wanted in
      forEachLine { name, value in
        if name.isEqual(to: UnsafeRawBufferPointer(wanted)) { body(value) }
      }
    }
  }

  /// Calls `body` with the bytes of each line's name and value.
  @inline(__always)
  func forEachLine(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
    packed.withBytes { bytes in
      var position = Int(start)
      while position < bytes.count {
        let nameLength = Int(bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
        let valueLength = Int(bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self))
        let name = position + 8
        let value = name + nameLength
        position = value + valueLength
        body(bytes.part(name, value), bytes.part(value, position))
      }
    }
  }
}

extension Fields: Equatable {
  public static func == (one: Fields, other: Fields) -> Bool {
    one.lines == other.lines
  }
}
