import GatehouseServer
import Glibc
import Testing

/// Returns the numbers that `/proc/self/<name>` lists.
private func numbers(in name: String) -> [Int32] {
  guard let directory = opendir("/proc/self/\(name)") else { return [] }
  defer { closedir(directory) }
  var numbers: [Int32] = []
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    // Not that of the directory itself, whose number the next to open something gets.
    if let number = Int32(name), number != dirfd(directory) { numbers.append(number) }
  }
  return numbers
}

/// The sockets that this process has open: their inodes, each with a descriptor.
///
/// Not by descriptor alone: Dispatch looks at `/proc/self/task` from time to time, and the number that it had is the
/// next socket's.
private func sockets() -> [UInt64: Int32] {
  var sockets: [UInt64: Int32] = [:]
  for descriptor in numbers(in: "fd") {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { continue }
    sockets[UInt64(status.st_ino)] = descriptor
  }
  return sockets
}

/// Whether an epoll instance of this process watches the file, whoever has it open.
private func isWatched(_ inode: UInt64) -> Bool {
  numbers(in: "fdinfo").contains { descriptor in
    guard let file = fopen("/proc/self/fdinfo/\(descriptor)", "r") else { return false }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let text = String(decoding: buffer[..<fread(&buffer, 1, buffer.count, file)], as: UTF8.self)
    return text.contains("tfd:") && text.contains("ino:\(String(inode, radix: 16)) ")
  }
}

extension `A server` {
  // In a process of its own: other tests open descriptors meanwhile.
  @Test func `a connection is not watched once it is closed, though a child may have its descriptor`() async {
    await #expect(processExitsWith: .success) {
      try await withServer { server in
        let before = sockets()
        let client = try Client(server.boundAddress)
        client.send("GET /hello HTTP/1.1\r\nhost: a\r\n\r\n")
        #expect(client.receive(until: "hello").hasSuffix("hello"))
        // Both ends, as a process that is being started has them until it is another program.
        let ends = sockets().filter { before[$0.key] == nil }
        let copies = ends.values.map { dup($0) }
        defer { for copy in copies { close(copy) } }
        #expect(ends.keys.filter(isWatched).count == 1)
        client.reset()
        while server.connectionCount > 0 { await Task.yield() }
        #expect(ends.count == 2)
        #expect(ends.keys.filter(isWatched).isEmpty)
      }
    }
  }
}
