import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

/// The server behind nginx, as the page on operations sets it up.
struct ProxyTests {
  private static let tools: Bool = {
    let missing = ["nginx", "curl"].filter { Machine.program($0) == nil }
    if !missing.isEmpty { print("Skipping a test: no \(missing.joined(separator: ", ")).") }
    return missing.isEmpty
  }()

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

  /// Returns nginx's configuration with the block of the page in it.
  private static func configuration(listen: UInt16, server: UInt16) throws -> String {
    let page = try String(
      contentsOfFile: "\(Machine.root)/Sources/App/App.docc/Operations.md", encoding: .utf8)
    let parts = page.split(separator: "```nginx\n")
    var block = String(try #require(parts.count == 2 ? parts[1].split(separator: "```").first : nil))
    for (old, new) in [
      ("listen 80;", "listen 127.0.0.1:\(listen);"), ("127.0.0.1:8080", "127.0.0.1:\(server)"),
    ] {
      let halves = block.components(separatedBy: old, atMost: 2)
      try #require(halves.count == 2)
      block = halves.joined(separator: new)
    }
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
    return """
      daemon off; master_process off; pid nginx.pid; error_log stderr;
      events {}
      http { access_log off; \(folders.joined(separator: " "))
      \(block)}
      """
  }

  private func shell(_ command: String, in folder: Folder) throws -> String {
    let output = folder.file("shell-\(UUID())")
    let process = try ChildProcess(
      "/usr/bin/timeout", ["100", "/bin/sh", "-c", command + " 2>&1"], environment: [Machine.path],
      workingDirectory: folder.path, streams: [.read("/dev/null"), .write(output), .write("/dev/null")])
    process.wait()
    return try folder.contents(output)
  }

  @Test(.enabled(if: tools))
  func `nginx says for whom it asks, and passes events on as they come`() throws {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(
      folder,
      options: ["--server-proxies", "127.0.0.1", "--audit-always", "Node:read", "--audit-details", "address"])
    let port = try Self.freePort()
    _ = try folder.write(try Self.configuration(listen: port, server: server.port), to: "nginx.conf")
    let nginx = try ChildProcess(
      try #require(Machine.program("nginx")), ["-p", folder.path, "-c", "nginx.conf"],
      environment: [Machine.path], workingDirectory: folder.path,
      streams: [.read("/dev/null"), .write("/dev/null"), .write(folder.file("nginx.log"))])
    let url = "http://localhost:\(port)"
    let live = try shell("until curl -s4 \(url)/livez; do kill -0 \(nginx.id) || exit; done", in: folder)
    let log = try folder.contents(folder.file("nginx.log"))
    try #require(live == "live\n", "\(live) \(log)")

    // Only what is read is recorded.
    _ = try server.send("POST", "/v1/collections/Node", body: #"{"_id":500,"label":"a","next":null}"#)
    // The client's own address, whatever it claims.
    let forged = "-H 'X-Forwarded-For: 192.0.2.1' -H 'Forwarded: for=192.0.2.1'"
    _ = try shell("curl -s4 --interface 127.0.0.9 \(forged) \(url)/v1/collections/Node", in: folder)
    let events = try server.send("GET", "/v1/collections/AuditEvent")
    #expect(events.body.contains(#""address":"127.0.0.9""#), "\(events.body)")
    #expect(!events.body.contains("192.0.2.1"))

    // The stream is open while its first event is read.
    let stream = try shell(
      """
      curl -sN4 -H 'Accept: text/event-stream' \(url)/v1/collections/Node >events & stream=$!
      number=0
      until grep -q '"_id":1' events; do
        kill -0 $stream || break
        number=$((number + 1))
        curl -s4 -o /dev/null -H 'Content-Type: application/json' -d '{"_id":'$number',"label":"a","next":null}' \\
          \(url)/v1/collections/Node
      done
      # Tests may have blocked SIGTERM for whatever they start.
      kill -9 $stream && echo open
      """, in: folder)
    #expect(stream == "open\n")
    nginx.send(SIGKILL)
    #expect(nginx.wait() == -SIGKILL)
    #expect(server.stop() == 0)
  }
}
