/// A growing stretch of bytes to send, kept and used again from response to response.
///
/// Large content at its end is not copied unless something comes behind it:
///
///     ┌──────────────────────────┬──────┐ ┌─────────┐
///     │ head content … head      │      │ │ content │
///     └──────────────────────────┴──────┘ └─────────┘
public struct OutputBuffer: ~Copyable {
  private var memory: UnsafeMutableRawBufferPointer
  /// How much of it is in use.
  private var end = 0
  /// The content that follows the buffer's own bytes; not copied into it.
  public private(set) var content: [UInt8] = []

  /// Content from this size on is not copied. With less it would not pay, for a system call that takes two stretches
  /// costs more than one that takes one.
  static let largeContent = 12_288

  public init(capacity: Int = 65_536) {
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    memory.deallocate()
  }

  /// How many bytes have been appended.
  public var count: Int { end + content.count }

  public var isEmpty: Bool { count == 0 }

  /// The bytes before ``content``.
  public var start: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<end]) }

  /// All appended bytes, in one stretch; copies ``content`` into the buffer.
  public var bytes: UnsafeRawBufferPointer {
    mutating get {
      copyContent()
      return start
    }
  }

  /// Returns the rest once `sent` bytes have gone: `bytes` from `start` on. Large content is not copied if all before
  /// it has gone.
  public func rest(from sent: Int) -> (bytes: [UInt8], start: Int) {
    precondition(sent >= 0 && sent <= count, "no more has gone than there was")
    if !content.isEmpty, sent >= end { return (content, sent - end) }
    return (Array(start[sent...]) + content, 0)
  }

  /// Forgets the content; what a large response has made it grow to is given back.
  public mutating func removeAll() {
    end = 0
    if !content.isEmpty { content = [] }
    if memory.count > 1 << 20 {
      memory.deallocate()
      memory = .allocate(byteCount: 65_536, alignment: 16)
    }
  }

  /// Appends the content of a response, which is copied later, if at all, when there is much of it.
  mutating func append(content bytes: [UInt8]) {
    if bytes.count < Self.largeContent { return append(bytes) }
    copyContent()
    content = bytes
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
    precondition(bytes.count <= memory.count - end, "there is room for what is put")
    (start + end).copyMemory(from: source, byteCount: bytes.count)
    end += bytes.count
  }

  /// Appends text for which there is room.
  @inline(__always)
  mutating func put(_ text: StaticString) {
    put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends what `fill` writes into that much room, and says it has written.
  public mutating func append(count room: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
    reserve(room)
    let count = fill(UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + room]))
    precondition(count >= 0 && count <= room, "no more is written than there is room for")
    end += count
  }

  public mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  public mutating func append(_ byte: UInt8) {
    reserve(1)
    memory[end] = byte
    end += 1
  }

  /// Appends the number, which is not negative, in decimal digits.
  mutating func append(_ number: Int) {
    precondition(number >= 0, "a size is not negative")
    reserve(20)
    var length = 1
    var rest = number / 10
    while rest > 0 {
      length += 1
      rest /= 10
    }
    rest = number
    for index in stride(from: end + length - 1, through: end, by: -1) {
      memory[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    end += length
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

  /// Makes room for so many bytes behind all that there is.
  @inline(__always)
  mutating func reserve(_ room: Int) {
    precondition(room >= 0 && end <= memory.count, "what is in use is in the buffer")
    if !content.isEmpty { copyContent() }
    if memory.count - end < room { grow(room) }
  }

  /// Puts the content behind what comes before it.
  private mutating func copyContent() {
    if content.isEmpty { return }
    var copied: [UInt8] = []
    swap(&copied, &content)
    append(copied)
  }

  @inline(never)
  private mutating func grow(_ room: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(memory.count * 2, end + room), alignment: 16)
    larger.copyMemory(from: start)
    memory.deallocate()
    memory = larger
  }
}
