/// Bytes that a request's target and fields share: one allocation, appended to without checks, copied when two
/// owners part ways.
///
/// @unchecked Sendable: Because the storage is written only while one value holds it.
struct HeadBytes: @unchecked Sendable {
  /// Beside the bytes, so that to append looks at one place in memory; the allocator, asked for the capacity,
  /// would look at another.
  private struct Header {
    var count: Int32
    var capacity: Int32
    /// A bit for each field line, by its name.
    var names: UInt64 = 0
  }

  private final class Storage: ManagedBuffer<Header, UInt8> {}

  private var storage: Storage?

  init() {}

  private static func allocate(_ capacity: Int) -> Storage {
    let header = Header(count: 0, capacity: Int32(capacity))
    let buffer = Storage.create(minimumCapacity: capacity) { _ in header }
    return unsafeDowncast(buffer, to: Storage.self)
  }

  /// How many bytes there are.
  var count: Int { storage.map { Int($0.header.count) } ?? 0 }

  /// Calls `body` with the bytes.
  @inline(__always)
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    guard let storage else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return storage.withUnsafeMutablePointers { header, bytes in
      body(UnsafeRawBufferPointer(start: bytes, count: Int(header.pointee.count)))
    }
  }

  /// Whether there may be a field line of that name, which is in lower case; mostly there is none where it says so.
  @inline(__always)
  func mayHaveLine(named name: String) -> Bool {
    guard let storage else { return false }
    return storage.header.names & Self.mark(length: name.utf8.count, first: name.utf8.first) != 0
  }

  /// The bit for names of that length which begin so.
  @inline(__always)
  private static func mark(length: Int, first: UInt8?) -> UInt64 {
    1 << ((UInt64(truncatingIfNeeded: length) &* 7 &+ UInt64(first ?? 0)) & 63)
  }

  /// Forgets the bytes; the memory is kept unless somebody else holds it, too.
  mutating func removeAll() {
    if isKnownUniquelyReferenced(&storage), let capacity = storage?.header.capacity {
      storage?.header = Header(count: 0, capacity: capacity)
    } else {
      storage = nil
    }
  }

  /// Makes room, so that the next so many bytes are appended without a copy.
  mutating func reserve(_ room: Int) {
    if isKnownUniquelyReferenced(&storage), spare >= room { return }
    grow(room)
  }

  private var spare: Int { storage.map { Int($0.header.capacity) - Int($0.header.count) } ?? 0 }

  @inline(never)
  private mutating func grow(_ room: Int) {
    let capacity = storage.map { Int($0.header.capacity) } ?? 0
    // The fields of most responses fit, so that these are not copied while they come together.
    let larger = Self.allocate(max(count + room, capacity * 2, 192))
    withBytes { old in
      guard let source = old.baseAddress else { return }
      larger.withUnsafeMutablePointers { header, bytes in
        UnsafeMutableRawPointer(bytes).copyMemory(from: source, byteCount: old.count)
        header.pointee.count = Int32(old.count)
        header.pointee.names = storage?.header.names ?? 0
      }
    }
    storage = larger
  }

  /// Appends what `fill` writes, which is so many bytes.
  @inline(__always)
  private mutating func append(
    count: Int, _ fill: (UnsafeMutablePointer<UInt8>, _ names: inout UInt64) -> Void
  ) {
    reserve(count)
    storage?.withUnsafeMutablePointers { header, bytes in
      fill(bytes + Int(header.pointee.count), &header.pointee.names)
      header.pointee.count += Int32(truncatingIfNeeded: count)
    }
  }

  mutating func append(_ part: UnsafeRawBufferPointer) {
    append(count: part.count) { bytes, _ in part.copyBytes(to: bytes) }
  }

  /// Appends a field line as ``Fields`` packs it, with the name in lower case.
  mutating func appendLine(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    appendLine(nameLength: name.count, value: value) { name.copyLowercased(to: $0) }
  }

  /// Appends a field line whose name is in lower case.
  mutating func appendLine(lowercased name: StaticString, value: UnsafeRawBufferPointer) {
    appendLine(nameLength: name.utf8CodeUnitCount, value: value) { bytes in
      UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount).copyBytes(to: bytes)
    }
  }

  @inline(__always)
  private mutating func appendLine(
    nameLength: Int, value: UnsafeRawBufferPointer, fillName: (UnsafeMutablePointer<UInt8>) -> Void
  ) {
    append(count: 8 + nameLength + value.count) { bytes, names in
      let line = UnsafeMutableRawPointer(bytes)
      line.storeBytes(of: UInt32(truncatingIfNeeded: nameLength), as: UInt32.self)
      line.storeBytes(of: UInt32(truncatingIfNeeded: value.count), toByteOffset: 4, as: UInt32.self)
      let name = bytes + 8
      fillName(name)
      names |= Self.mark(length: nameLength, first: nameLength > 0 ? name[0] : nil)
      value.copyBytes(to: name + nameLength)
    }
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  fileprivate func copyBytes(to target: UnsafeMutablePointer<UInt8>) {
    guard let source = baseAddress else { return }
    UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count)
  }

  @inline(__always)
  fileprivate func copyLowercased(to target: UnsafeMutablePointer<UInt8>) {
    for index in 0..<count { target[index] = self[index].lowercased }
  }
}
