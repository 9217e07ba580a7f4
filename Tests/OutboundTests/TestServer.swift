import GatehouseTestSupport
import Glibc

/// A running `server.py`, which ends with the value.
final class TestServer: @unchecked Sendable {
  // Because it is not changed.
  private let input: UnsafeMutablePointer<FILE>
  let port: Int
  /// A folder with the certificate, of a server with TLS.
  let folder: String

  static let hasPython = Machine.program("python3") != nil && Machine.program("openssl") != nil

  init(tls: Bool = false) throws {
    folder = "\(Machine.scratch)/gatehouse-outbound-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    mkdir(folder, 0o700)
    let script = "\(Machine.root)/Tests/OutboundTests/server.py"
    let output = "\(folder)/port"
    mkfifo(output, 0o600)
    let command = "exec python3 '\(script)' \(tls ? "'\(folder)'" : "") >'\(output)'"
    guard let input = popen(command, "we"), let reading = fopen(output, "r") else { throw Failure() }
    self.input = input
    var line = [CChar](repeating: 0, count: 32)
    guard fgets(&line, 32, reading) != nil else { throw Failure() }
    fclose(reading)
    port = Int(atoi(line))
  }

  deinit {
    pclose(input)
    for name in ["port", "key.pem", "certificate.pem"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  func url(_ path: String, scheme: String = "http", host: String = "127.0.0.1") -> String {
    "\(scheme)://\(host):\(port)\(path)"
  }

  struct Failure: Error {}
}
