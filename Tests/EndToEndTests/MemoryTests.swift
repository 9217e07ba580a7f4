import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

/// Memory goes back to the system after large requests.
struct MemoryTests {
  private static let hasCurl = Machine.program("curl") != nil

  /// The mebibytes that the process has of its own.
  private static func ownMemory(of process: ChildProcess) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    let number = line.flatMap { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first }
    return try #require(number.flatMap { Int($0) }) >> 10
  }

  /// Waits for a state, not for a time: a server that keeps the memory never comes to it.
  private static func becomes(atMost mebibytes: Int, _ process: ChildProcess) throws -> Bool {
    for _ in 0..<600 {
      if try ownMemory(of: process) <= mebibytes { return true }
      usleep(100_000)
    }
    return false
  }

  @Test(
    .enabled(if: hasCurl),
    arguments: [("application/json", "[", ",", "]"), ("application/x-ndjson", "", "\n", "\n")])
  func `the memory of a large upload goes back`(type: String, start: String, separator: String, end: String)
    throws
  {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(folder, options: ["--access-log", "off"])
    let label = String(repeating: "x", count: 200)
    let nodes = (0..<60_000).map { #"{"_id":\#($0),"label":"\#(label)","next":null}"# }
    _ = try folder.write(start + nodes.joined(separator: separator) + end, to: "nodes")
    let before = try Self.ownMemory(of: server.process)
    let url = "http://127.0.0.1:\(server.port)/v1/collections/Node"
    let said = try folder.shell(
      "curl -s -X POST -T nodes -H 'Content-Type: \(type)' -H 'Prefer: return=minimal' -o /dev/null -w '%{http_code}' \(url)"
    )
    #expect(said == "201")
    let isGiven = try Self.becomes(atMost: before + 48, server.process)
    let after = try Self.ownMemory(of: server.process)
    #expect(isGiven, "\(before) MiB before, \(after) MiB after")
  }
}
