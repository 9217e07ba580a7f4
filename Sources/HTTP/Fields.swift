/// The header fields of a message, in order.
///
/// The lines are packed into one array of bytes, which a request shares with its target: reading a head costs
/// one allocation, and a lookup hops from length to length.
///
///     ┌─────────────┬──────────────┬──────┬───────┐
///     │ name length │ value length │ name │ value │   per line; both lengths 32-bit little-endian
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
  var packed: [UInt8]
  let start: Int

  init(packed: [UInt8], start: Int) {
    self.packed = packed
    self.start = start
  }

  public init(_ lines: [Line] = []) {
    packed = []
    start = 0
    for line in lines { append(line.name, line.value) }
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

  public var isEmpty: Bool { packed.count == start }

  /// The values of all lines of that name, joined by `, ` as RFC 9110 §5.3 allows; nil when there is none.
  ///
  /// `name` is in lower case.
  public subscript(name: String) -> String? {
    if isEmpty { return nil }
    var name = name
    return name.withUTF8 { wanted in
      var found: String?
      forEachLine { name, value in
        guard name.elementsEqual(wanted) else { return }
        let value = String(decoding: value, as: UTF8.self)
        found = found.map { "\($0), \(value)" } ?? value
      }
      return found
    }
  }

  /// Whether there is a line of that name, in lower case.
  public func contains(_ name: String) -> Bool {
    self[name] != nil
  }

  /// Adds a line. `name` is in lower case.
  public mutating func append(_ name: String, _ value: String) {
    var name = name
    var value = value
    name.withUTF8 { name in
      value.withUTF8 { value in
        packed.appendFieldLine(name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value))
      }
    }
  }

  /// Calls `body` with the bytes of each line's name and value.
  func forEachLine(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
    packed.withUnsafeBytes { bytes in
      var position = start
      while position < bytes.count {
        let nameLength = Int(bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
        let valueLength = Int(bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self))
        let name = position + 8
        let value = name + nameLength
        position = value + valueLength
        body(
          UnsafeRawBufferPointer(rebasing: bytes[name..<value]),
          UnsafeRawBufferPointer(rebasing: bytes[value..<position]))
      }
    }
  }
}

extension Fields: Equatable {
  public static func == (one: Fields, other: Fields) -> Bool {
    one.packed[one.start...] == other.packed[other.start...]
  }
}

extension [UInt8] {
  /// Appends a packed line with the name in lower case.
  mutating func appendFieldLine(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    Swift.withUnsafeBytes(of: UInt32(name.count)) { append(contentsOf: $0) }
    Swift.withUnsafeBytes(of: UInt32(value.count)) { append(contentsOf: $0) }
    let nameStart = count
    append(contentsOf: name)
    let nameEnd = count
    withUnsafeMutableBytes { bytes in
      for index in nameStart..<nameEnd { bytes[index] = bytes[index].lowercased }
    }
    append(contentsOf: value)
  }
}
