internal import Glibc

/// The bytes still to be written to a socket that does not block.
struct Outbox {
  /// The bytes of a packet on sockets that keep packets apart. A frame begins a packet.
  static let packetSize = 65_536

  enum Delivery {
    case whole
    /// ``flush()`` must be called when the socket has room.
    case partial
    /// The other end is closed.
    case refused
  }

  private let descriptor: Int32
  private var pieces: [ArraySlice<UInt8>] = []

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  var isEmpty: Bool { pieces.isEmpty }

  mutating func send(_ bytes: [UInt8]) -> Delivery {
    for start in stride(from: 0, to: bytes.count, by: Self.packetSize) {
      pieces.append(bytes[start..<min(start + Self.packetSize, bytes.count)])
    }
    return flush()
  }

  /// Sends one packet now, or none of it; false if there is no room.
  mutating func offer(_ bytes: [UInt8]) -> Bool {
    guard pieces.isEmpty, bytes.count <= Self.packetSize else { return false }
    return Self.write(bytes[...], to: descriptor) == bytes.count
  }

  mutating func flush() -> Delivery {
    while let piece = pieces.first {
      precondition(!piece.isEmpty && piece.count <= Self.packetSize, "what waits has bytes, of one packet")
      let count = Self.write(piece, to: descriptor)
      if count == piece.count {
        pieces.removeFirst()
      } else if count >= 0 {
        pieces[0] = piece.dropFirst(count)
      } else if errno == EAGAIN {
        return .partial
      } else if errno != EINTR {
        pieces = []
        return .refused
      }
    }
    return .whole
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
    bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }
}
