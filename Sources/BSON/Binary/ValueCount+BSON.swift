extension ValueCount {
  /// Counts the values of BSON documents after each other.
  init(bson documents: UnsafeBufferPointer<UInt8>) {
    self.init()
    var bytes = BSONBytes(documents)
    while !bytes.isAtEnd, level < Self.depth {
      guard level > 0 else {
        add()
        begin(document: true)
        bytes.skip(4)
        continue
      }
      let tag = bytes.next()
      if tag == 0 {
        end()
        continue
      }
      guard let type = BSONType(rawValue: tag) else { return }
      add()
      bytes.skipName()
      guard skip(type, &bytes) else { return }
    }
  }

  /// Skips a value, or the beginning of a container; false where its length is none.
  private mutating func skip(_ type: BSONType, _ bytes: inout BSONBytes) -> Bool {
    switch type {
    case .undefined, .null, .maxKey, .minKey: return true
    case .bool: return bytes.skip(1)
    case .int32: return bytes.skip(4)
    case .double, .date, .timestamp, .int64: return bytes.skip(8)
    case .objectID: return bytes.skip(12)
    case .decimal128: return bytes.skip(16)
    case .string, .javaScript, .symbol: return bytes.skipCounted()
    case .binary: return bytes.skipCounted(and: 1)
    case .dbPointer: return bytes.skipCounted(and: 12)
    case .regularExpression:
      bytes.skipName()
      bytes.skipName()
      return true
    case .document, .array:
      begin(document: type == .document)
      return bytes.skip(4)
    case .javaScriptWithScope:
      guard bytes.skip(4), bytes.skipCounted() else { return false }
      begin(document: true)
      return bytes.skip(4)
    }
  }
}

/// Bytes of which the next ones are skipped.
private struct BSONBytes {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func next() -> UInt8 {
    defer { position += 1 }
    return bytes[position]
  }

  /// Skips that many bytes; false where there are fewer.
  @discardableResult
  mutating func skip(_ count: Int) -> Bool {
    position += min(count, bytes.count - position)
    return !isAtEnd
  }

  /// Skips up to the next zero byte, and that.
  mutating func skipName() {
    while !isAtEnd, next() != 0 {}
  }

  /// Skips a length of four bytes and as many bytes as it says, and some more.
  mutating func skipCounted(and more: Int = 0) -> Bool {
    guard bytes.count - position > 4 else { return false }
    let length = (0..<4).reversed().reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
    position += 4
    return skip(length + more)
  }
}
