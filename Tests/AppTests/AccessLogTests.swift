import GatehouseTelemetry
import Glibc
import Testing

@testable import GatehouseApp

/// Logs whose readers are slow, or gone.
@Suite struct AccessLogTests {
  private static func lost(_ metrics: Registry) -> String {
    let text = String(decoding: metrics.render(), as: UTF8.self)
    return text.split(separator: "\n").first { $0.hasPrefix("gatehouse_log_lost_bytes_total") }.map(
      String.init)
      ?? text
  }

  @Test func `nobody waits for a pipe that is not read, and what is dropped is counted`() async throws {
    try await Shell.with { shell async throws in
      let path = "\(shell.folder)/log"
      #expect(mkfifo(path, 0o600) == 0)
      let metrics = Registry()
      let log = try #require(try AccessLog(.file(path), metrics: metrics))
      let lines = [UInt8](repeating: 0x61, count: 1 << 20)
      for _ in 0..<12 { log.write(lines) }
      #expect(Self.lost(metrics) == "gatehouse_log_lost_bytes_total 4194304")
      log.finish()
      try log.reopen()
      // All that has found room comes when somebody reads.
      let reader = open(path, O_RDONLY | O_CLOEXEC)
      defer { close(reader) }
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      var count = 0
      while count < 8 << 20 { count += max(0, read(reader, &bytes, bytes.count)) }
      #expect(count == 8 << 20)
      log.finish()
      log.write(lines)
      while count < 9 << 20 { count += max(0, read(reader, &bytes, bytes.count)) }
      #expect(Self.lost(metrics) == "gatehouse_log_lost_bytes_total 4194304")
    }
  }

  @Test func `lines behind a rotation go to the new file`() async throws {
    try await Shell.with { shell async throws in
      let path = "\(shell.folder)/log"
      let log = try #require(try AccessLog(.file(path), metrics: Registry()))
      log.write(Array("1\n".utf8))
      // The first line goes to the file that is there under another name.
      log.finish()
      #expect(rename(path, path + ".1") == 0)
      log.write(Array("2\n".utf8))
      try log.reopen()
      log.write(Array("3\n".utf8))
      log.finish()
      #expect(try shell.read("log.1") == "1\n2\n")
      #expect(try shell.read("log") == "3\n")
    }
  }
}
