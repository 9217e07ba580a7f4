import GatehouseTelemetry
import Glibc

/// Writes the lines of the event loops to a file or a stream. No request waits for a slow disk or a reader that has stopped: lines for
/// which there is no room are dropped, and counted.
final class AccessLog: Sendable {
  /// Where the lines go.
  enum Place: Hashable, Sendable {
    case off
    case standardError
    case file(String)
  }

  private let place: Place
  private let output: BackgroundOutput
  private let lost: Counter

  /// Opens the log; nil if there is to be none.
  init?(_ place: Place, metrics: Registry) throws(CommandError) {
    switch place {
    case .off: return nil
    case .standardError: output = .error
    case .file(let path): output = BackgroundOutput(try AccessLog.open(path))
    }
    self.place = place
    lost = metrics.counter(
      "gatehouse_log_lost_bytes", help: "Lines of the access log that were dropped, in bytes.")
  }

  /// Has the lines written soon.
  func write(_ lines: [UInt8]) {
    output.write(lines) { [lost] in lost.add($0) }
  }

  /// Opens the file anew, since whoever rotates logs has renamed it; lines that were handed over before go to the old
  /// one.
  func reopen() throws(CommandError) {
    guard case .file(let path) = place else { return }
    output.replace(with: try AccessLog.open(path))
  }

  /// Returns when all lines that were handed over are written, or nobody reads them.
  func finish() { output.finish() }

  private static func open(_ path: String) throws(CommandError) -> Int32 {
    var status = stat()
    let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    // A named pipe that is open for reading as well waits for no reader.
    let mode = isPipe ? O_RDWR : O_WRONLY
    let descriptor = Glibc.open(path, mode | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw .file(path: path, action: .write, code: errno) }
    return descriptor
  }
}

extension AccessLog.Place: SettingValue {
  static var expectation: String { "off, stderr or the path of a file" }

  init?(settingText: String) {
    switch settingText {
    case "": return nil
    case "off": self = .off
    case "stderr": self = .standardError
    default: self = .file(settingText)
    }
  }

  var settingText: String {
    switch self {
    case .off: "off"
    case .standardError: "stderr"
    case .file(let path): path
    }
  }
}
