import GatehouseServer
import Glibc
import Testing

/// Descriptors that this process has open.
private func descriptorCount() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count
}

/// Gives back what the allocator keeps for later, which is no leak. Glibc's module leaves malloc.h out.
private func trim() {
  guard let symbol = dlsym(nil, "malloc_trim") else { return }
  _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
}

/// Memory of this process that is not backed by a file, in KiB.
private func memory() -> Int {
  trim()
  guard let file = fopen("/proc/self/statm", "r") else { return -1 }
  defer { fclose(file) }
  var buffer = [UInt8](repeating: 0, count: 256)
  let text = String(decoding: buffer[..<fread(&buffer, 1, buffer.count, file)], as: UTF8.self)
  let pages = text.split(separator: " ").compactMap { Int($0) }
  return pages.count > 2 ? (pages[1] - pages[2]) * 4 : -1
}

private let abuses = [
  "", "G", "\n\n\n", "GET / HTTP/1.1\r\n", "GET /hello HTTP/1.1\r\nhost: a\r\n\r\n",
  "GET /stream HTTP/1.1\r\nhost: a\r\n\r\n", "GET /large HTTP/1.1\r\nhost: a\r\n\r\n",
  "GET /endless HTTP/1.1\r\nhost: a\r\n\r\n", "GET /later HTTP/1.1\r\nhost: a\r\n\r\nGET /later",
  "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 50000\r\n\r\nabc",
  "POST /echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc",
  "POST /echo HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n",
  "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}", "GET /%00 HTTP/1.1\r\nhost: a\r\n\r\n",
]

/// 3,000 with every run of the tests; `GATEHOUSE_ABUSE` says how many otherwise.
private let count = getenv("GATEHOUSE_ABUSE").flatMap { Int(String(cString: $0)) } ?? 3_000

extension `A server` {
  // In a process of its own: other tests open descriptors and take memory meanwhile.
  @Test func `clients that misbehave and leave take nothing with them`() async {
    await #expect(processExitsWith: .success) {
      try await withServer {
        $0.connectionsPerAddress = 1_000
      } _: { server in
        try await abuse(server, 1_000)
        let descriptors = descriptorCount()
        let before = memory()
        try await abuse(server, count)
        #expect(abs(descriptorCount() - descriptors) < 20)
        #expect(memory() - before < 20_000)
        print(
          "abused by \(count) connections: \(descriptors) descriptors before, \(descriptorCount()) after;",
          "\(before) KiB before, \(memory()) KiB after")
        let client = try Client(server.boundAddress)
        client.send("GET /hello HTTP/1.1\r\nhost: a\r\n\r\n")
        #expect(client.receive(until: "hello").hasSuffix("hello"))
      }
    }
  }
}

private func abuse(_ server: HTTPServer, _ count: Int) async throws {
  for index in 0..<count {
    let client = try Client(server.boundAddress)
    client.send(abuses[index % abuses.count])
    if index % 3 == 0 { client.reset() }
    if index % 3 == 1 { client.finishSending() }
    if index % 5 == 0 { _ = client.receivePiece(limit: index % 2 == 0 ? 1 : 100, waiting: false) }
    while server.connectionCount > 200 { await Task.yield() }
  }
  while server.connectionCount > 0 { await Task.yield() }
}
