import GatehouseTestSupport
import Testing

/// An S3 server of PyPI's (moto) that a test starts, behind a proxy that compares signatures.
final class S3Server {
  private let process: ChildProcess
  private let input: Pipe
  private let output: Pipe
  let port: Int
  private let credentials: [String]

  static let isThere = Machine.run("python3 -c 'import boto3, moto.server' 2>&1").status == 0

  init(_ folder: Folder) throws {
    input = try Pipe()
    output = try Pipe()
    let python = try #require(Machine.program("python3"))
    process = try ChildProcess(
      python, ["\(Machine.root)/Tests/EndToEndTests/s3_server.py"],
      environment: [Machine.path, "HOME=\(folder.path)"], workingDirectory: folder.path,
      streams: [.descriptor(input.reading), .descriptor(output.writing), .write(folder.file("s3.log"))])
    let line = try JSON(output.read { $0.contains("\n") })
    guard case .int(let port) = line["port"], case .string(let key) = line["key"],
      case .string(let secret) = line["secret"], case .string(let region) = line["region"]
    else { throw SystemError(call: "s3_server.py", code: 0) }
    self.port = Int(port)
    credentials = ["AWS_ACCESS_KEY_ID=\(key)", "AWS_SECRET_ACCESS_KEY=\(secret)", "AWS_REGION=\(region)"]
  }

  /// The variables by which the program reaches it.
  var environment: [String] { credentials + ["AWS_ENDPOINT_URL=http://127.0.0.1:\(port)"] }

  /// Has it do something, and returns the keys that there are then.
  @discardableResult func send(_ command: String) throws -> [String] {
    guard input.write(command + "\n") else { throw SystemError(call: "s3_server.py \(command)", code: 0) }
    let answer = try JSON(output.read { $0.hasSuffix("\n") })
    guard case .array(let keys) = answer else { return [] }
    return keys.compactMap { if case .string(let key) = $0 { key } else { nil } }
  }
}
