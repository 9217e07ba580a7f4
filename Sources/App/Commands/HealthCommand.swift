import GatehouseServer
import Glibc

/// `gatehouse health`.
struct HealthCommand: Command {
  static let synopsis = Synopsis(
    "health", summary: "Asks a running server whether it lives; for health checks of containers.",
    settings: .some(["listen"]))

  let address: SocketAddress

  init(_ arguments: Arguments, settings: Settings) throws {
    guard let address = settings.listen.first?.local else {
      throw CommandError.invalidValue(name: "listen", text: "none", expected: "an address without TLS")
    }
    self.address = address
  }

  func run() throws {
    guard isAlive() else { throw CommandError.unhealthy(address: address.description) }
  }

  private func isAlive() -> Bool {
    guard let descriptor = try? address.connect(patience: 2) else { return false }
    defer { close(descriptor) }
    let request = Array("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      return false
    }
    let expected = Array("HTTP/1.1 200 ".utf8)
    var answer = [UInt8](repeating: 0, count: expected.count)
    return recv(descriptor, &answer, answer.count, Int32(MSG_WAITALL)) == answer.count
      && answer == expected
  }
}
