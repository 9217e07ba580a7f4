/// Bytes that a request's target and fields share: one allocation, appended to without checks, copied when two
/// owners part ways.
///
/// @unchecked Sendable: Because the storage is written only while one value holds it.
struct HeadBytes: @unchecked Sendable {
  /// Beside the bytes, so that to append looks at one place in memory; the allocator, asked for the capacity,
  /// would look at another.
  private struct Size {
    var count: Int32
    var capacity: Int32
  }

  private final class Storage: ManagedBuffer<Size, UInt8> {}

  private var storage: Storage?

  init() {}

  private static func allocate(_ capacity: Int) -> Storage {
    let buffer = Storage.create(minimumCapacity: capacity) { _ in Size(count: 0, capacity: Int32(capacity)) }
    return unsafeDowncast(buffer, to: Storage.self)
  }

  /// How many bytes there are.
  var count: Int { storage.map { Int($0.header.count) } ?? 0 }

  /// Calls `body` with the bytes.
  @inline(__always)
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    guard let storage else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return storage.withUnsafeMutablePointers { size, bytes in
      body(UnsafeRawBufferPointer(start: bytes, count: Int(size.pointee.count)))
    }
  }

  /// Forgets the bytes; the memory is kept unless somebody else holds it, too.
  mutating func removeAll() {
    if isKnownUniquelyReferenced(&storage) { storage?.header.count = 0 } else { storage = nil }
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
      larger.withUnsafeMutablePointers { size, bytes in
        UnsafeMutableRawPointer(bytes).copyMemory(from: source, byteCount: old.count)
        size.pointee.count = Int32(old.count)
      }
    }
    storage = larger
  }

  /// Appends what `fill` writes, which is so many bytes.
  @inline(__always)
  private mutating func append(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
    reserve(count)
    storage?.withUnsafeMutablePointers { size, bytes in
      fill(bytes + Int(size.pointee.count))
      size.pointee.count += Int32(truncatingIfNeeded: count)
    }
  }

  mutating func append(_ part: UnsafeRawBufferPointer) {
    append(count: part.count) { part.copyBytes(to: $0) }
  }

  /// Appends a field line as ``Fields`` packs it, with the name in lower case.
  mutating func appendLine(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    append(count: 8 + name.count + value.count) { bytes in
      let line = UnsafeMutableRawPointer(bytes)
      line.storeBytes(of: UInt32(truncatingIfNeeded: name.count), as: UInt32.self)
      line.storeBytes(of: UInt32(truncatingIfNeeded: value.count), toByteOffset: 4, as: UInt32.self)
      name.copyLowercased(to: bytes + 8)
      value.copyBytes(to: bytes + 8 + name.count)
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
