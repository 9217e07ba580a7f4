import Glibc

/// The machine that the tests run on: where the package is, which programs there are, and what they say.
public enum Machine {
  /// The folder of the package.
  public static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

  /// Where the stores of tests are: in memory where there is room for them.
  ///
  /// A disk takes milliseconds for each durable commit, and tests make tens of thousands. What is left of a file
  /// when a machine stops is not theirs to find out; that of a killed process is there in memory as well.
  public static let scratch: String = {
    var system = statvfs()
    let hasRoom = statvfs("/dev/shm", &system) == 0 && system.f_bavail * UInt(system.f_frsize) > 4 << 30
    return hasRoom && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : variable("TMPDIR") ?? "/tmp"
  }()

  /// The first of the programs that is on the PATH, with its path.
  public static func program(_ names: String...) -> String? {
    let folders = (variable("PATH") ?? "").split(separator: ":")
    return names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }.first { access($0, X_OK) == 0 }
  }

  /// The PATH as a child is given it.
  public static let path = "PATH=\(variable("PATH") ?? "/usr/bin:/bin")"

  /// A variable of the environment.
  public static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Runs a command of the shell: its exit code, and what it prints on standard output.
  public static func run(_ command: String) -> (status: Int32, output: String) {
    guard let pipe = popen(command, "r") else { return (-1, "cannot start \(command)") }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { bytes += buffer[..<count] }
    return (pclose(pipe), String(decoding: bytes, as: UTF8.self))
  }
}
