extension BSONReader {
  mutating func readValue(_ type: BSONType, before end: Int) throws(BSONError) -> Value {
    switch type {
    case .null: .null
    case .undefined: .undefined
    case .minKey: .minKey
    case .maxKey: .maxKey
    case .bool: .bool(try readBool(before: end))
    case .int32: .int32(try readInteger(Int32.self, before: end))
    case .int64: .int64(try readInteger(Int64.self, before: end))
    case .double: .double(Double(bitPattern: try readInteger(UInt64.self, before: end)))
    case .date: .date(Date(milliseconds: try readInteger(Int64.self, before: end)))
    case .timestamp: try readTimestamp(before: end)
    case .decimal128: try readDecimal128(before: end)
    case .objectID: .objectID(try readObjectID(before: end))
    case .string: .string(try readString(before: end))
    case .symbol: .symbol(try readString(before: end))
    case .javaScript: .javaScript(try readString(before: end))
    case .javaScriptWithScope: try readJavaScriptWithScope(before: end)
    case .dbPointer: try readDBPointer(before: end)
    case .regularExpression: try readRegularExpression(before: end)
    case .binary: try readBinary(before: end)
    case .document: .document(try readDocument(before: end))
    case .array: .array(try readArray(before: end))
    }
  }

  @inline(__always)
  mutating func readInteger<Integer: FixedWidthInteger & BitwiseCopyable>(
    _ type: Integer.Type, before end: Int
  ) throws(BSONError) -> Integer {
    let size = MemoryLayout<Integer>.size
    guard end - position >= size else { throw BSONError(.unexpectedEnd, at: end) }
    let integer = UnsafeRawPointer(bytes + position).loadUnaligned(as: Integer.self)
    position += size
    return Integer(littleEndian: integer)
  }

  private mutating func readBool(before end: Int) throws(BSONError) -> Bool {
    let byte = try readInteger(UInt8.self, before: end)
    guard byte <= 1 else { throw BSONError(.malformedBoolean, at: position - 1) }
    return byte == 1
  }

  private mutating func readTimestamp(before end: Int) throws(BSONError) -> Value {
    let increment = try readInteger(UInt32.self, before: end)
    let time = try readInteger(UInt32.self, before: end)
    return .timestamp(Timestamp(time: time, increment: increment))
  }

  private mutating func readDecimal128(before end: Int) throws(BSONError) -> Value {
    let low = try readInteger(UInt64.self, before: end)
    let high = try readInteger(UInt64.self, before: end)
    return .decimal128(Decimal128(high: high, low: low))
  }

  private mutating func readObjectID(before end: Int) throws(BSONError) -> ObjectID {
    let high = try readInteger(UInt64.self, before: end)
    let low = try readInteger(UInt32.self, before: end)
    return ObjectID(high: high.byteSwapped, low: low.byteSwapped)
  }

  /// The bytes up to a zero byte, and steps behind that.
  mutating func readCStringBytes(before end: Int) throws(BSONError) -> UnsafeBufferPointer<UInt8> {
    let start = position
    var stop = start
    while stop < end, bytes[stop] != 0 { stop += 1 }
    guard stop < end else { throw BSONError(.missingTerminator, at: end) }
    position = stop + 1
    return UnsafeBufferPointer(start: bytes + start, count: stop - start)
  }

  func string(_ utf8: UnsafeBufferPointer<UInt8>) throws(BSONError) -> String {
    do throws(UTF8.ValidationError) {
      return String(copying: try UTF8Span(validating: utf8.span))
    } catch {
      let start = utf8.baseAddress.map { $0 - bytes } ?? 0
      throw BSONError(.malformedUTF8, at: start + error.byteOffsets.lowerBound)
    }
  }

  private mutating func readCString(before end: Int) throws(BSONError) -> String {
    try string(try readCStringBytes(before: end))
  }

  /// The length is checked against what holds the value before a byte of it is looked at.
  private mutating func readLength(before end: Int, atLeast least: Int) throws(BSONError) -> Int {
    let length = Int(try readInteger(Int32.self, before: end))
    guard length >= least, length <= end - position else {
      throw BSONError(.malformedLength, at: position - 4)
    }
    return length
  }

  private mutating func readString(before end: Int) throws(BSONError) -> String {
    let length = try readLength(before: end, atLeast: 1)
    let last = position + length - 1
    guard bytes[last] == 0 else { throw BSONError(.missingTerminator, at: last) }
    let text = try string(UnsafeBufferPointer(start: bytes + position, count: length - 1))
    position = last + 1
    return text
  }

  private mutating func readBinary(before end: Int) throws(BSONError) -> Value {
    var length = Int(try readInteger(Int32.self, before: end))
    let subtype = try readInteger(UInt8.self, before: end)
    guard 0...end - position ~= length else { throw BSONError(.malformedLength, at: position - 5) }
    if subtype == 2 {
      let inner = try readInteger(Int32.self, before: position + length)
      guard Int(inner) == length - 4 else { throw BSONError(.malformedLength, at: position - 4) }
      length -= 4
    }
    let data = [UInt8](UnsafeBufferPointer(start: bytes + position, count: length))
    position += length
    return Value(binary: data, subtype: subtype)
  }

  private mutating func readRegularExpression(before end: Int) throws(BSONError) -> Value {
    let pattern = try readCString(before: end)
    return .regularExpression(RegularExpression(pattern: pattern, sorting: try readCString(before: end)))
  }

  private mutating func readDBPointer(before end: Int) throws(BSONError) -> Value {
    let namespace = try readString(before: end)
    return .dbPointer(namespace: namespace, id: try readObjectID(before: end))
  }

  private mutating func readJavaScriptWithScope(before end: Int) throws(BSONError) -> Value {
    let start = position
    let length = Int(try readInteger(Int32.self, before: end))
    // 14: two lengths, an empty string and an empty document.
    guard length >= 14, length <= end - start else {
      throw BSONError(.malformedLength, at: start)
    }
    let code = try readString(before: start + length)
    let scope = try readDocument(before: start + length)
    guard position == start + length else { throw BSONError(.malformedLength, at: start) }
    return .javaScriptWithScope(code: code, scope: scope)
  }
}
