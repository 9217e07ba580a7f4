import GatehouseTestSupport
import Glibc
import Testing

/// A server whose output nobody reads.
struct UnreadOutputTests {
  @Test func `it answers, reloads and stops`() throws {
    let folder = try Sample.nodeStore()
    var pipe = try Pipe()
    let server = try RunningServer(
      folder, options: ["--access-log", "stderr"], error: .descriptor(pipe.writing))
    pipe.closeWriting()
    // The pipe has room for 64 KiB, and each line has some 200 bytes.
    let requests = String(repeating: "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 600)
    for _ in 0..<2 {
      let answers = try server.exchange(
        requests + "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      #expect(answers.matches(of: /HTTP\/1.1 200 OK/).count == 601)
    }
    server.process.send(SIGHUP)
    #expect(try server.send("GET", "/readyz").status == "200 OK")
    #expect(server.stop() == 0)
  }
}
