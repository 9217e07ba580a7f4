import GatehouseTestSupport
import Glibc
import Testing

/// `gatehouse serve` on a free port of the loopback address.
final class RunningServer {
  let process: ChildProcess
  let port: UInt16
  /// The text that it printed when it started.
  let firstScreen: String

  init(
    _ folder: Folder, listen: String = "127.0.0.1:0", options: [String] = [], environment: [String] = [],
    error: ChildProcess.Stream? = nil, of program: String = Gatehouse.path
  ) throws {
    var pipe = try Pipe()
    process = try ChildProcess(
      program, ["serve", "--data", folder.data, "--listen", listen] + options,
      environment: environment, workingDirectory: folder.path,
      streams: [.read("/dev/null"), .descriptor(pipe.writing), error ?? .write(folder.file("serve.log"))])
    pipe.closeWriting()
    firstScreen = pipe.read { $0.contains("Ctrl-C") }
    let port = firstScreen.firstMatch(of: /listening at http:\/\/127\.0\.0\.1:(\d+)[,\n]/)?.1
    let end = process.hasEnded ? "it has ended with \(process.wait())" : ""
    self.port = try #require(port.flatMap { UInt16($0) }, "\(firstScreen)\(end)")
  }

  /// Ends it as an operator does.
  func stop() -> Int32 {
    process.send(SIGTERM)
    return process.wait()
  }

  /// Sends the bytes on a connection of their own, and gives all that comes back until the server closes.
  func exchange(_ request: String) throws -> String { try LocalPort(port).exchange(request) }

  /// Sends the bytes on a connection of their own, and leaves.
  func abandon(_ request: String) throws { close(try LocalPort(port).send(request)) }

  /// Sends the bytes on a connection of their own, and leaves when `body` is through.
  func leave(_ request: String, after body: () throws -> Void) throws {
    let descriptor = try LocalPort(port).send(request)
    defer { close(descriptor) }
    try body()
  }
}

extension RunningServer {
  /// An answer, taken apart.
  struct Answer {
    let status: String
    let fields: [String: String]
    let body: String

    var json: JSON { get throws { try JSON(body) } }

    /// `text` is one whole response.
    init(_ text: String) throws {
      let parts = text.components(separatedBy: "\r\n\r\n", atMost: 2)
      let lines = parts[0].components(separatedBy: "\r\n", atMost: .max)
      status = String(try #require(lines.first).dropFirst("HTTP/1.1 ".count))
      fields = Dictionary(
        lines.dropFirst().map { line in
          let pair = line.components(separatedBy: ": ", atMost: 2)
          return (pair[0].lowercased(), pair.count == 2 ? pair[1] : "")
        }, uniquingKeysWith: { "\($0), \($1)" })
      let content = parts.count == 2 ? parts[1] : ""
      body = fields["transfer-encoding"] == "chunked" ? Answer.unchunked(content) : content
    }

    private static func unchunked(_ content: String) -> String {
      var bytes = Array(content.utf8)[...]
      var body: [UInt8] = []
      while let end = bytes.firstIndex(of: 0x0D),
        let size = Int(String(decoding: bytes[..<end], as: UTF8.self), radix: 16), size > 0
      {
        body += bytes[(end + 2)...].prefix(size)
        bytes = bytes[(end + 2)...].dropFirst(size + 2)
      }
      return String(decoding: body, as: UTF8.self)
    }
  }

  /// How many seconds an answer is waited for: longer than any takes beside all other tests.
  private static let patience = 300

  /// One request on a connection of its own.
  func send(
    _ method: String, _ path: String, fields: [String: String] = [:], body: String? = nil
  ) throws -> Answer {
    try LocalPort(port, seconds: RunningServer.patience).send(method, path, fields: fields, body: body)
  }
}

extension String {
  /// The pieces between separators, the last one with whatever follows.
  func components(separatedBy separator: String, atMost limit: Int) -> [String] {
    split(separator: separator, maxSplits: limit - 1, omittingEmptySubsequences: false).map(String.init)
  }
}
