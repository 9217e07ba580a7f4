import GatehouseTestSupport
import Glibc
import Testing

/// `Scripts/oracle-documents` with the program that was built along with this test.
private enum Oracle {
  static let isThere = run("--check").status == 0

  static func run(_ arguments: String) -> (status: Int32, output: String) {
    let program = "\(directoryOfThisProgram)/DocumentsOracle"
    return Machine.run("'\(Machine.root)/Scripts/oracle-documents' --program '\(program)' \(arguments) 2>&1")
  }

  private static var directoryOfThisProgram: String {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count)
    let program = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return program.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
  }
}

@Suite(
  .enabled(if: Oracle.isThere, "needs python3 with mongomock; Scripts/oracle-documents --install gets it"))
struct OracleTests {
  @Test(arguments: [21, 22])
  func `mongomock answers as we do, but for what the manual decides`(seed: Int) {
    let (status, output) = Oracle.run("60 --seed \(seed)")
    #expect(status == 0 && output.contains("no difference in"), Comment(rawValue: output))
  }
}
