import GatehouseHTTP
import GatehouseServer
import Glibc
import Testing

private let host = "host: localhost\r\n\r\n"
private let hello = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"

/// A path for a socket, which nothing else uses.
private func temporaryPath() -> String {
  "/tmp/gatehouse-test-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
}

extension `A server` {
  @Test func `a Unix-domain socket is served, and its file removed`() async throws {
    let path = temporaryPath()
    for _ in 1...2 {
      try await withServer {
        $0.addresses = [.unix(path)]
      } _: { server in
        #expect(server.boundAddresses == [.unix(path)])
        for _ in 1...4 {
          let client = try Client(.unix(path))
          client.send("GET /hello HTTP/1.1\r\n" + host)
          #expect(client.receive(until: "hello") == hello)
        }
        let second = HTTPServer(configuration: Configuration(addresses: [.unix(path)])) { _ in EchoHandler() }
        #expect(throws: ServerError.addressInUse("unix:\(path)")) { try second.start() }
      }
      #expect(access(path, F_OK) != 0)
    }
  }

  @Test func `a file that is no socket stays`() throws {
    let path = temporaryPath()
    let file = open(path, O_CREAT | O_WRONLY, 0o600)
    #expect(file >= 0)
    close(file)
    defer { unlink(path) }
    let server = HTTPServer(configuration: Configuration(addresses: [.unix(path)])) { _ in EchoHandler() }
    #expect(throws: ServerError.addressInUse("unix:\(path)")) { try server.start() }
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
  }

  @Test func `a file that a dead server left is replaced`() async throws {
    let path = temporaryPath()
    let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try bindUnix(left, path)
    close(left)
    try await withServer {
      $0.addresses = [.unix(path)]
    } _: { server in
      let client = try Client(.unix(path))
      client.send("GET /hello HTTP/1.1\r\n" + host)
      #expect(client.receive(until: "hello") == hello)
    }
  }

  @Test func `a socket that a service manager opened is served`() async throws {
    let path = temporaryPath()
    defer { unlink(path) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try bindUnix(descriptor, path)
    listen(descriptor, 10)
    try await withServer {
      $0.addresses = []
      $0.sockets = [Activation.Socket(descriptor: descriptor, name: "http")]
    } _: { server in
      #expect(server.boundAddresses == [.unix(path)])
      let client = try Client(.unix(path))
      client.send("GET /hello HTTP/1.1\r\n" + host)
      #expect(client.receive(until: "hello") == hello)
    }
  }
}

private func bindUnix(_ descriptor: Int32, _ path: String) throws {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  let result = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  try #require(result == 0)
}

@Test(arguments: [
  ([:], []),
  (["LISTEN_PID": "8", "LISTEN_FDS": "2"], []),
  (["LISTEN_PID": "7", "LISTEN_FDS": "x"], []),
  (["LISTEN_PID": "7", "LISTEN_FDS": "2"], ["3 ", "4 "]),
  (["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "tls:http"], ["3 tls", "4 http"]),
])
func `the environment says which sockets were handed over`(environment: [String: String], sockets: [String]) {
  let activation = Activation(environment: environment, processID: 7)
  #expect(activation.sockets.map { "\($0.descriptor) \($0.name)" } == sockets)
}

@Test(arguments: ["", "@"])
func `the service manager is told`(prefix: String) throws {
  let path = prefix == "@" ? "@gatehouse-test-\(getpid())" : temporaryPath()
  defer { unlink(path) }
  let manager = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
  defer { close(manager) }
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) {
    $0.copyBytes(from: path.utf8)
    if prefix == "@" { $0[0] = 0 }
  }
  let length = socklen_t(2 + path.utf8.count)
  let result = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(manager, $0, length) }
  }
  try #require(result == 0)
  Activation(environment: ["NOTIFY_SOCKET": path], processID: 7).notify("READY=1")
  var buffer = [UInt8](repeating: 0, count: 100)
  let count = recv(manager, &buffer, buffer.count, Int32(MSG_DONTWAIT))
  #expect(String(decoding: buffer[..<max(count, 0)], as: UTF8.self) == "READY=1")
}
