import FoundationEssentials
import GatehouseTestSupport

/// The shared data set, which is there where the project is developed.
enum Geonames {
  static let folder: String = {
    let shared = Machine.variable("GATEHOUSE_SHARED") ?? "\(Machine.root)/../shared"
    return "\(shared)/data/geonames"
  }()

  static let oracle = "\(Machine.root)/Tests/EndToEndTests/geonames_oracle.py"

  /// Whether the data and Python are there; says so in one line where they are not.
  static let isAvailable: Bool = {
    let missing: String? =
      if !FileManager.default.fileExists(atPath: "\(folder)/City.ndjson") {
        "no \(folder)"
      } else if python == nil {
        "no python3"
      } else {
        nil
      }
    if let missing { print("Skipping the tests on Geonames: \(missing).") }
    return missing == nil
  }()

  static let python = Machine.program("python3")

  /// Returns the output of the oracle.
  static func ask(_ arguments: [String], in folder: Folder) throws -> String {
    let output = folder.file("oracle")
    let home = "HOME=\(Machine.variable("HOME") ?? "/")"
    let process = try ChildProcess(
      python ?? "python3", [oracle] + arguments, environment: [home, Machine.path],
      workingDirectory: folder.path, streams: [.read("/dev/null"), .write(output), .descriptor(2)])
    let status = process.wait()
    guard status == 0 else { throw SystemError(call: oracle, code: status) }
    return try folder.contents(output)
  }
}
