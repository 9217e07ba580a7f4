import GatehouseTestSupport
import Glibc
import Testing

/// `Scripts/oracle-bson` with the converter that was built along with this test.
private enum Oracle {
  static let isThere = run("--check").status == 0

  static func run(_ arguments: String) -> (status: Int32, output: String) {
    let converter = "\(directoryOfThisProgram)/BSONConverter"
    return Machine.run("'\(Machine.root)/Scripts/oracle-bson' --converter '\(converter)' \(arguments) 2>&1")
  }

  private static var directoryOfThisProgram: String {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count)
    let program = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return program.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
  }
}

@Suite(.enabled(if: Oracle.isThere, "needs python3 with pymongo; Scripts/oracle-bson --install gets it"))
struct OracleTests {
  @Test(arguments: [11, 12])
  func `pymongo reads what is written here, and what it writes is read alike`(seed: Int) {
    let (status, output) = Oracle.run("500 --seed \(seed)")
    #expect(status == 0 && output.hasPrefix("equal: "), Comment(rawValue: output))
  }
}
