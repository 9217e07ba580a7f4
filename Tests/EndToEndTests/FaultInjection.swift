import FoundationEssentials
import GatehouseTestSupport
import Testing

/// The scripts that kill the server and make its disk fail, run briefly on the program under test.
enum FaultInjection {
  /// Nil where there is no Python, which is said once.
  static let isAvailable: Bool = {
    if Geonames.python == nil { print("Skipping the tests of crashes and faults: no python3.") }
    return Geonames.python != nil
  }()

  static let compiler: String? = {
    let found = Machine.program("cc", "clang")
    if found == nil { print("Skipping the tests of faults: no C compiler.") }
    return found
  }()

  /// Whether small disks of their own can be mounted, which is said once.
  static let hasDisks: Bool = {
    let isPossible = Machine.run("unshare --mount mount -t tmpfs tmpfs /mnt 2>/dev/null").status == 0
    if !isPossible { print("Skipping the tests of full disks: they need root and a tmpfs.") }
    return isPossible
  }()

  /// Runs a script of the package, and gives its exit code and all that it said. What tells scripts something, such as a
  /// program that `--program` wins over, must not be taken for a setting.
  static func run(_ script: String, _ options: [String], in folder: Folder) throws -> (
    status: Int32, said: String
  ) {
    let output = folder.file("said")
    let process = try ChildProcess(
      "\(Machine.root)/Scripts/\(script)", options + ["--program", Gatehouse.path],
      environment: [Machine.path, "GATEHOUSE_PROGRAM=/nowhere"], workingDirectory: folder.path,
      streams: [.read("/dev/null"), .write(output), .write(folder.file("error"))])
    let status = process.wait()
    return (status, try folder.contents(output) + folder.contents(folder.file("error")))
  }
}
