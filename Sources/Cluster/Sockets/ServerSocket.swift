internal import Glibc
internal import Synchronization

/// A connection to a server: one thread reads, any thread writes.
final class ServerSocket: Sendable {
  private let descriptor: Int32
  /// Its bytes are sent in the order in which they were encrypted: one thread at a time does both.
  private let session = Mutex<TLSClientSession?>(nil)

  /// The size of the pieces that are read.
  private static let pieceSize = 64 << 10

  /// Connects within `limit`, to the first address of the host that answers; nil: none does. Reads and writes give up after `limit` as
  /// well.
  init?(_ address: ServerAddress, limit: Duration) {
    guard let descriptor = ServerSocket.connect(address, limit: limit) else { return nil }
    self.descriptor = descriptor
    setPatience(limit)
  }

  /// Has reads and writes give up after so long each.
  func setPatience(_ patience: Duration) {
    ServerSocket.set([SO_RCVTIMEO, SO_SNDTIMEO], patience, of: descriptor)
  }

  deinit {
    Glibc.close(descriptor)
  }

  private static func connect(_ address: ServerAddress, limit: Duration) -> Int32? {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address.host, String(address.port), &hints, &list) == 0 else { return nil }
    defer { freeaddrinfo(list) }
    var next = list
    while let found = next {
      next = found.pointee.ai_next
      let descriptor = socket(
        found.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { continue }
      // Linux applies the limit of sending to connecting (socket(7)).
      set([SO_SNDTIMEO], limit, of: descriptor)
      var isOn: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
      if Glibc.connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 { return descriptor }
      Glibc.close(descriptor)
    }
    return nil
  }

  private static func set(_ options: [Int32], _ limit: Duration, of descriptor: Int32) {
    let (seconds, attoseconds) = limit.components
    var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    for option in options {
      setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  /// Agrees on TLS; false: the server cannot, or is not who it should be. To be called before anybody reads or writes.
  func startTLS(_ context: TLSClientContext, host: String) -> Bool {
    guard let new = context.makeSession(with: host) else { return false }
    session.withLock { $0 = new }
    while true {
      let progress = session.withLock { _ in
        let progress = new.shakeHands()
        return send(new.takeOutgoing()) ? progress : .failed
      }
      switch progress {
      case .done: return true
      case .failed: return false
      case .needsBytes:
        guard case .bytes(let piece) = receive() else { return false }
        session.withLock { _ in piece.withUnsafeBytes { new.receive($0) } }
      }
    }
  }

  enum Reading {
    case bytes([UInt8])
    /// Nothing has come for as long as a read waits.
    case nothing
    case end
  }

  /// Waits for bytes, and returns them.
  func read() -> Reading {
    let reading = receive()
    guard case .bytes(let piece) = reading else { return reading }
    return session.withLock { session in
      guard let session else { return .bytes(piece) }
      piece.withUnsafeBytes { session.receive($0) }
      var plain: [UInt8] = []
      let progress = session.read(into: &plain)
      // An answer to a change of keys may be waiting.
      guard send(session.takeOutgoing()), progress == .needsBytes || !plain.isEmpty else { return .end }
      return .bytes(plain)
    }
  }

  private func receive() -> Reading {
    var piece = [UInt8](repeating: 0, count: ServerSocket.pieceSize)
    while true {
      let count = recv(descriptor, &piece, piece.count, 0)
      if count > 0 { return .bytes(Array(piece[..<count])) }
      if count == 0 { return .end }
      if errno == EINTR { continue }
      return errno == EAGAIN || errno == EWOULDBLOCK ? .nothing : .end
    }
  }

  /// Sends bytes; false: not all of them have left, and the connection is of no more use.
  func write(_ bytes: [UInt8]) -> Bool {
    session.withLock { session in
      guard let session else { return send(bytes) }
      return session.write(bytes) && send(session.takeOutgoing())
    }
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Glibc.send(
          descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
        if count > 0 { sent += count } else if errno != EINTR { break }
      }
      return sent == bytes.count
    }
  }

  /// Ends both directions: a read that waits returns.
  func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
