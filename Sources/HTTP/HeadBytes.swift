/// Bytes that a request's target and fields share: one allocation, appended to without checks, copied when two
/// owners part ways.
///
/// @unchecked Sendable: Because the storage is written only while one value holds it.
struct HeadBytes: @unchecked Sendable {
  private final class Storage: ManagedBuffer<Int, UInt8> {}

  private var storage: Storage

  private nonisolated(unsafe) static let none = allocate(0)

  init() {
    storage = Self.none
  }

  private static func allocate(_ capacity: Int) -> Storage {
    let buffer = Storage.create(minimumCapacity: capacity) { _ in 0 }
    return unsafeDowncast(buffer, to: Storage.self)
  }

  /// How many bytes there are.
  var count: Int { storage.header }

  /// Calls `body` with the bytes.
  @inline(__always)
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    storage.withUnsafeMutablePointers { count, bytes in
      body(UnsafeRawBufferPointer(start: bytes, count: count.pointee))
    }
  }

  /// Makes room, so that the next so many bytes are appended without a copy.
  mutating func reserve(_ room: Int) {
    let needed = count + room
    if storage.capacity >= needed, isKnownUniquelyReferenced(&storage) { return }
    let larger = Self.allocate(max(needed, storage.capacity * 2))
    withBytes { old in
      larger.withUnsafeMutablePointers { count, bytes in
        UnsafeMutableRawPointer(bytes).copyMemory(
          from: old.baseAddress.unsafelyUnwrapped, byteCount: old.count)
        count.pointee = old.count
      }
    }
    storage = larger
  }

  mutating func append(_ part: UnsafeRawBufferPointer) {
    reserve(part.count)
    storage.withUnsafeMutablePointers { count, bytes in
      UnsafeMutableRawBufferPointer(start: bytes + count.pointee, count: part.count).copyMemory(from: part)
      count.pointee += part.count
    }
  }

  /// Appends a field line as ``Fields`` packs it, with the name in lower case.
  mutating func appendLine(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    let length = 8 + name.count + value.count
    reserve(length)
    storage.withUnsafeMutablePointers { count, bytes in
      let line = UnsafeMutableRawPointer(bytes + count.pointee)
      line.storeBytes(of: UInt32(truncatingIfNeeded: name.count), as: UInt32.self)
      line.storeBytes(of: UInt32(truncatingIfNeeded: value.count), toByteOffset: 4, as: UInt32.self)
      let text = line.assumingMemoryBound(to: UInt8.self) + 8
      for index in 0..<name.count { text[index] = name[index].lowercased }
      UnsafeMutableRawBufferPointer(start: text + name.count, count: value.count).copyMemory(from: value)
      count.pointee += length
    }
  }
}
