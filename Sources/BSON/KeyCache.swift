/// The keys read lately, so that those that every document has are made into strings once.
struct KeyCache: ~Copyable {
  private struct Entry {
    var filter: UInt64
    var key: String
  }

  private static let bitsOfIndex: UInt64 = 6
  private let entries: UnsafeMutablePointer<Entry>

  init() {
    entries = .allocate(capacity: 1 << Self.bitsOfIndex)
    entries.initialize(repeating: Entry(filter: 0, key: ""), count: 1 << Self.bitsOfIndex)
  }

  deinit {
    entries.deinitialize(count: 1 << Self.bitsOfIndex)
    entries.deallocate()
  }

  @inline(__always)
  private func entry(_ mark: KeyMark) -> UnsafeMutablePointer<Entry> {
    entries + Int(truncatingIfNeeded: (mark.filter &* 0x9E37_79B9_7F4A_7C15) >> (64 - Self.bitsOfIndex))
  }

  /// The key that has these bytes, if it is here.
  @inline(__always)
  func key(_ mark: KeyMark, _ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let entry = entry(mark)
    guard entry.pointee.filter == mark.filter else { return nil }
    if bytes.count < KeyMark.wordSize { return entry.pointee.key }
    return entry.pointee.key.hasBytes(bytes) ? entry.pointee.key : nil
  }

  @inline(__always)
  func insert(_ key: String, _ mark: KeyMark) {
    entry(mark).pointee = Entry(filter: mark.filter, key: key)
  }
}
