import Dispatch
import GatehouseTestSupport
import Glibc
import Synchronization

/// A port that passes on what comes to another one, and back: the network between two machines, which may fail.
final class TCPProxy: Sendable {
  /// A way in which a network fails.
  enum Failure: CaseIterable {
    /// Nothing that is sent arrives, and nobody is told.
    case silence
    /// Connections end, and none can be made.
    case refusal
  }

  private struct State {
    var failure: Failure?
    var connections: Set<Int32> = []
    var hasEnded = false
  }

  let port: UInt16
  private let target: UInt16
  private let listener: Int32
  private let state = Mutex(State())
  private let group = DispatchGroup()

  init(to target: UInt16) throws {
    self.target = target
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = TCPProxy.loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard isListening else { throw SystemError(call: "listen", code: errno) }
    port = UInt16(bigEndian: address.sin_port)
    start { $0.accept() }
  }

  /// Ends all connections, and the port.
  func end() {
    state.withLock { state in
      state.hasEnded = true
      for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }
    shutdown(listener, Int32(SHUT_RDWR))
    group.wait()
    close(listener)
  }

  /// Has the network fail, or work again.
  func fail(_ failure: Failure?) {
    state.withLock { state in
      state.failure = failure
      guard failure == .refusal else { return }
      for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private func start(_ body: @escaping @Sendable (TCPProxy) -> Void) {
    DispatchQueue(label: "proxy").async(group: group) { body(self) }
  }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else {
        if state.withLock(\.hasEnded) { return }
        continue
      }
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = TCPProxy.loopback(target)
      let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      let isOpen = state.withLock { state in
        guard isConnected, !state.hasEnded, state.failure != .refusal else { return false }
        state.connections.formUnion([client, server])
        return true
      }
      guard isOpen else {
        close(client)
        close(server)
        continue
      }
      let ends = Mutex(0)
      let finish: @Sendable () -> Void = { [self] in
        for end in [client, server] { shutdown(end, Int32(SHUT_RDWR)) }
        guard
          ends.withLock({ count in
            count += 1
            return count == 2
          })
        else { return }
        state.withLock { state in
          state.connections.subtract([client, server])
          for end in [client, server] { close(end) }
        }
      }
      start { $0.pass(from: client, to: server, finish) }
      start { $0.pass(from: server, to: client, finish) }
    }
  }

  private func pass(from source: Int32, to destination: Int32, _ finish: () -> Void) {
    defer { finish() }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(source, &piece, piece.count, 0)
      guard count > 0 else { return }
      // It arrives when the network works again.
      while state.withLock({ $0.failure == .silence && !$0.hasEnded }) { usleep(10_000) }
      var rest = piece[..<count]
      while !rest.isEmpty {
        let sent = rest.withUnsafeBytes { send(destination, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent > 0 else { return }
        rest = rest.dropFirst(sent)
      }
    }
  }
}
