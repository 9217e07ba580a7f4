/// The keys read lately, so that those that every document has are made into strings once.
struct KeyCache: ~Copyable {
  private struct Entry {
    var filter: UInt64
    var key: String
  }

  private static let bitsOfIndex: UInt64 = 6
  /// From this number of bytes on, a first text is worth the memory.
  private static let largeText = 2048

  /// Nil until there is reason to believe that keys will come again.
  private var entries: UnsafeMutablePointer<Entry>?
  private var isUsed = false

  deinit {
    entries?.deinitialize(count: 1 << Self.bitsOfIndex)
    entries?.deallocate()
  }

  /// Another text comes.
  mutating func prepare(countOfBytes: Int) {
    defer { isUsed = true }
    guard entries == nil, isUsed || countOfBytes >= Self.largeText else { return }
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: 1 << Self.bitsOfIndex)
    entries.initialize(repeating: Entry(filter: 0, key: ""), count: 1 << Self.bitsOfIndex)
    self.entries = entries
  }

  @inline(__always)
  private func entry(_ mark: KeyMark) -> UnsafeMutablePointer<Entry>? {
    guard let entries else { return nil }
    return entries
      + Int(truncatingIfNeeded: (mark.filter &* 0x9E37_79B9_7F4A_7C15) >> (64 - Self.bitsOfIndex))
  }

  /// The key that has these bytes, if it is here.
  @inline(__always)
  func key(_ mark: KeyMark, _ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard let entry = entry(mark), entry.pointee.filter == mark.filter else { return nil }
    if bytes.count < KeyMark.wordSize { return entry.pointee.key }
    return entry.pointee.key.hasBytes(bytes) ? entry.pointee.key : nil
  }

  @inline(__always)
  func insert(_ key: String, _ mark: KeyMark) {
    entry(mark)?.pointee = Entry(filter: mark.filter, key: key)
  }
}
