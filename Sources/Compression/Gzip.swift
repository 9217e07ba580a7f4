internal import Glibc

/// The gzip format (RFC 1952), by the zlib that the system has, which is loaded when it is first needed.
public struct Gzip: Sendable {
  private typealias Compress =
    @convention(c) (
      UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt>, UnsafePointer<UInt8>, UInt, Int32
    ) -> Int32
  private typealias Bound = @convention(c) (UInt) -> UInt
  private typealias Checksum = @convention(c) (UInt, UnsafePointer<UInt8>, UInt32) -> UInt

  private let compress: Compress
  private let bound: Bound
  private let checksum: Checksum

  /// Nil where the system has none.
  public static let system = Gzip(library: "libz.so.1")

  /// Nil where that library is not there, or is not zlib.
  init?(library: String) {
    guard let library = dlopen(library, RTLD_NOW | RTLD_LOCAL), let compress = dlsym(library, "compress2"),
      let bound = dlsym(library, "compressBound"), let checksum = dlsym(library, "crc32")
    else { return nil }
    self.compress = unsafeBitCast(compress, to: Compress.self)
    self.bound = unsafeBitCast(bound, to: Bound.self)
    self.checksum = unsafeBitCast(checksum, to: Checksum.self)
  }

  /// Returns the bytes as one gzip member. `level` is zlib's, from 1 (fast) to 9 (small). Nil where they do not get
  /// smaller, are 4 GiB or more, or there is no memory.
  public func compress(_ bytes: [UInt8], level: Int32) -> [UInt8]? {
    guard !bytes.isEmpty, bytes.count < 1 << 32 else { return nil }
    // zlib's own format (RFC 1950) has the same stream in it, between two bytes and four.
    let room = bound(UInt(bytes.count))
    var isDone = false
    let packed = [UInt8](unsafeUninitializedCapacity: Int(room) + Self.header.count + 8) { packed, count in
      guard let start = packed.baseAddress else { return }
      let zlib = start + Self.header.count - 2
      var length = room
      let sum = bytes.withUnsafeBufferPointer { bytes in
        bytes.baseAddress.flatMap { source in
          compress(zlib, &length, source, UInt(bytes.count), level) == 0
            ? checksum(0, source, UInt32(bytes.count)) : nil
        }
      }
      guard let sum else { return }
      for (place, byte) in Self.header.enumerated() { packed[place] = byte }
      let trailer = Self.header.count - 2 + Int(length) - 4
      precondition(
        length <= room && trailer >= Self.header.count && trailer + 8 <= packed.count,
        "what is packed has the room that was reckoned, and so has what stands behind it: \(length) of \(room)"
      )
      for byte in 0..<4 {
        start[trailer + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte))
        start[trailer + 4 + byte] = UInt8(truncatingIfNeeded: bytes.count >> (8 * byte))
      }
      count = trailer + 8
      isDone = true
    }
    return isDone && packed.count < bytes.count ? packed : nil
  }

  /// Magic number, deflate, no flags, no time, no hint, no system.
  private static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
}
