import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

/// The server behind the proxies that the page on operations, and the examples for containers, set up.
struct ProxyTests {
  /// A proxy, which asks for each client whatever its example has it ask.
  enum Proxy: CaseIterable {
    case nginx, caddy
    /// The one of `docker/compose-nginx.yaml`.
    case container

    static let installed: [Proxy] = allCases.filter { proxy in
      let missing = [proxy.program, "curl"].filter { Machine.program($0) == nil }
      if !missing.isEmpty { print("Skipping a test: no \(missing.joined(separator: ", ")).") }
      return missing.isEmpty
    }

    private var program: String { self == .caddy ? "caddy" : "nginx" }

    var scheme: String { self == .container ? "https" : "http" }

    /// Starts it in a folder; it writes what it has to say to a file of its name there.
    func start(in folder: Folder, listen: UInt16, server: UInt16) throws -> ChildProcess {
      let file = try folder.write(try configuration(listen: listen, server: server), to: "\(self).conf")
      let arguments =
        switch self {
        case .nginx, .container: ["-p", folder.path, "-c", file]
        case .caddy: ["run", "--adapter", "caddyfile", "--config", file]
        }
      return try ChildProcess(
        try #require(Machine.program(program)), arguments,
        environment: [Machine.path, "HOME=\(folder.path)"], workingDirectory: folder.path,
        streams: [.read("/dev/null"), .write("/dev/null"), .write(folder.file("\(self).log"))])
    }

    /// Returns a configuration with the block of the page in it.
    private func configuration(listen: UInt16, server: UInt16) throws -> String {
      let page = try String(
        contentsOfFile: "\(Machine.root)/Sources/App/App.docc/Operations.md", encoding: .utf8)
      switch self {
      case .nginx:
        let block = try page.block(
          "nginx",
          replacing: [
            ("listen 80;", "listen 127.0.0.1:\(listen);"), ("127.0.0.1:8080", "127.0.0.1:\(server)"),
          ])
        return nginx(block)
      case .container:
        let example = try String(contentsOfFile: "\(Machine.root)/docker/nginx.conf", encoding: .utf8)
        let certificate = "\(Machine.root)/Tests/ServerTests/tls/first"
        return nginx(
          try example.replacing([
            ("listen 80;", "listen unix:plain.socket;"),
            ("listen 443 ssl;", "listen 127.0.0.1:\(listen) ssl;"),
            ("server gatehouse:8080", "server 127.0.0.1:\(server)"), ("/tls/chain.pem", "\(certificate).pem"),
            ("/tls/key.pem", "\(certificate).key"),
          ]))
      case .caddy:
        let block = try page.block(
          "caddy",
          replacing: [
            ("data.example.org {", "http://localhost:\(listen) {\nbind 127.0.0.1"),
            ("127.0.0.1:8080", "127.0.0.1:\(server)"),
          ])
        return "{\nadmin off\n}\n\(block)"
      }
    }

    private func nginx(_ servers: String) -> String {
      let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
      return """
        daemon off; master_process off; pid nginx.pid; error_log stderr;
        events {}
        http { access_log off; \(folders.joined(separator: " "))
        \(servers)}
        """
    }
  }

  /// Returns a port of the loopback interface that nobody listens at.
  private static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
      }
    }
    guard result == 0 else { throw SystemError(call: "bind", code: errno) }
    return UInt16(bigEndian: address.sin_port)
  }

  @Test(arguments: Proxy.installed)
  func `a proxy says for whom it asks, and passes events on as they come`(_ proxy: Proxy) throws {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(
      folder,
      options: ["--server-proxies", "127.0.0.1", "--audit-always", "Node:read", "--audit-details", "address"])
    let port = try Self.freePort()
    let process = try proxy.start(in: folder, listen: port, server: server.port)
    let url = "\(proxy.scheme)://localhost:\(port)"
    let curl = "curl -sk4"
    let live = try folder.shell("until \(curl) \(url)/livez; do kill -0 \(process.id) || exit; done")
    let log = try folder.contents(folder.file("\(proxy).log"))
    try #require(live == "live\n", "\(live) \(log)")

    // Only what is read is recorded.
    _ = try server.send("POST", "/v1/collections/Node", body: #"{"_id":500,"label":"a","next":null}"#)
    // The client's own address, whatever it claims.
    let forged = "-H 'X-Forwarded-For: 192.0.2.1' -H 'Forwarded: for=192.0.2.1'"
    _ = try folder.shell("\(curl) --interface 127.0.0.9 \(forged) \(url)/v1/collections/Node")
    let events = try server.send("GET", "/v1/collections/AuditEvent")
    #expect(events.body.contains(#""address":"127.0.0.9""#), "\(events.body)")
    #expect(!events.body.contains("192.0.2.1"))

    // The stream is open while its first event is read.
    let stream = try folder.shell(
      """
      \(curl) -N -H 'Accept: text/event-stream' \(url)/v1/collections/Node >events & stream=$!
      number=0
      until grep -q '"_id":1' events; do
        kill -0 $stream || break
        number=$((number + 1))
        \(curl) -o /dev/null -H 'Content-Type: application/json' -d '{"_id":'$number',"label":"a","next":null}' \\
          \(url)/v1/collections/Node
      done
      # Tests may have blocked SIGTERM for whatever they start.
      kill -9 $stream && echo open
      """)
    #expect(stream == "open\n")
    process.send(SIGKILL)
    #expect(process.wait() == -SIGKILL)
    #expect(server.stop() == 0)
  }
}

extension String {
  /// Returns the page's only block of that language, with texts replaced that occur once in it.
  fileprivate func block(_ language: String, replacing replacements: [(old: String, new: String)]) throws
    -> String
  {
    let parts = components(separatedBy: "```\(language)\n", atMost: .max)
    let block = parts.count == 2 ? parts[1].components(separatedBy: "```", atMost: 2).first : nil
    return try #require(block).replacing(replacements)
  }

  /// Returns the text with texts replaced that occur once in it.
  fileprivate func replacing(_ replacements: [(old: String, new: String)]) throws -> String {
    try replacements.reduce(self) { text, replacement in
      let halves = text.components(separatedBy: replacement.old, atMost: .max)
      try #require(halves.count == 2)
      return halves.joined(separator: replacement.new)
    }
  }
}
