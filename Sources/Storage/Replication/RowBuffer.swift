/// Bytes that grow at the end, and can be cut back: the records of a transaction on their way to the log.
///
/// A row is some twenty small pieces: an array would look at itself for each.
final class RowBuffer {
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  /// The bytes that stay for the next transaction.
  private static let kept = 1 << 20

  init() {
    capacity = 64 << 10
    base = .allocate(byteCount: capacity, alignment: 1)
  }

  deinit { base.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Forgets everything behind the first bytes.
  func cut(to count: Int) {
    precondition(count >= 0 && count <= self.count, "what is cut back was written down")
    self.count = count
    if count == 0, capacity > RowBuffer.kept { resize(to: RowBuffer.kept) }
  }

  /// Forgets the first bytes.
  func removeFirst(_ number: Int) {
    precondition(number >= 0 && number <= count, "what is taken was written down")
    count -= number
    base.copyMemory(from: base + number, byteCount: count)
  }

  /// Makes room for so many bytes.
  @inline(__always)
  private func reserve(_ number: Int) {
    if capacity - count < number { resize(to: max(capacity * 2, count + number)) }
  }

  private func resize(to size: Int) {
    precondition(size >= count, "what was written down has its room")
    let larger = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1)
    larger.copyMemory(from: base, byteCount: count)
    base.deallocate()
    (base, capacity) = (larger, size)
  }

  @inline(__always)
  func append(byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  @inline(__always)
  func append(varint value: UInt64) {
    reserve(10)
    var rest = value
    while rest >= 0x80 {
      base.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
      count += 1
      rest >>= 7
    }
    base.storeBytes(of: UInt8(rest), toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Appends the number of the bytes, and these.
  @inline(__always)
  func append(counted bytes: UnsafeRawBufferPointer) {
    append(varint: UInt64(bytes.count))
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    (base + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  @inline(__always)
  func appendReal(_ value: Double) {
    reserve(8)
    base.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: count, as: UInt64.self)
    count += 8
  }

  /// Sets a bit behind that byte.
  @inline(__always)
  func setBit(_ bit: Int, behind start: Int) {
    precondition(start + bit >> 3 < count, "a bit is set in what was written down")
    let place = base + (start + bit >> 3)
    place.storeBytes(
      of: place.load(as: UInt8.self) | 1 << UInt8(bit & 7), as: UInt8.self)
  }
}
