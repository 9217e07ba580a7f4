/// A growing stretch of bytes to send, kept and used again from response to response.
public struct OutputBuffer: ~Copyable {
  private var memory: UnsafeMutableRawBufferPointer
  public private(set) var count = 0

  public init(capacity: Int = 65_536) {
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    memory.deallocate()
  }

  public var isEmpty: Bool { count == 0 }

  /// What has been appended.
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[..<count])
  }

  /// Forgets the content; what a large response has made it grow to is given back.
  public mutating func removeAll() {
    count = 0
    if memory.count > 1 << 20 {
      memory.deallocate()
      memory = .allocate(byteCount: 65_536, alignment: 16)
    }
  }

  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    put(bytes)
  }

  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Appends bytes for which there is room.
  @inline(__always)
  mutating func put(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, let start = memory.baseAddress else { return }
    (start + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends text for which there is room.
  @inline(__always)
  mutating func put(_ text: StaticString) {
    put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends what `fill` writes into that much room, and says it has written.
  public mutating func append(count room: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
    reserve(room)
    count += fill(UnsafeMutableRawBufferPointer(rebasing: memory[count..<count + room]))
  }

  public mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  public mutating func append(_ byte: UInt8) {
    reserve(1)
    memory[count] = byte
    count += 1
  }

  /// Appends the number, which is not negative, in decimal digits.
  mutating func append(_ number: Int) {
    reserve(20)
    var length = 1
    var rest = number / 10
    while rest > 0 {
      length += 1
      rest /= 10
    }
    rest = number
    for index in stride(from: count + length - 1, through: count, by: -1) {
      memory[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += length
  }

  /// Appends the number in hexadecimal digits, without zeros before it, as chunk sizes are written.
  mutating func appendSize(_ number: Int) {
    let digits = max((Int.bitWidth - number.leadingZeroBitCount + 3) / 4, 1)
    var text = HexadecimalDigits(UInt64(truncatingIfNeeded: number))
    withUnsafeBytes(of: &text) { append($0.part(16 - digits, 16)) }
  }

  /// Appends 16 hexadecimal digits, for which there is room.
  mutating func putHexadecimal(_ number: UInt64) {
    var text = HexadecimalDigits(number)
    withUnsafeBytes(of: &text) { put($0) }
  }

  /// Makes room for so many bytes.
  @inline(__always)
  mutating func reserve(_ room: Int) {
    if memory.count - count < room { grow(room) }
  }

  @inline(never)
  private mutating func grow(_ room: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(memory.count * 2, count + room), alignment: 16)
    larger.copyMemory(from: bytes)
    memory.deallocate()
    memory = larger
  }
}
