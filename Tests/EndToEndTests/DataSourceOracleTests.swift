import FoundationEssentials
import GatehouseTestSupport
import Testing

/// `Scripts/oracle-data-source` against a server.
@Suite(
  .enabled(
    if: Machine.run("'\(Machine.root)/Scripts/oracle-data-source' --check").status == 0,
    "needs python3 with mongomock: pip install mongomock pymongo"))
struct DataSourceOracleTests {
  @Test(arguments: [("", 1), ("", 2), ("", 3), ("--schemaless", 1), ("--schemaless", 2), ("--schemaless", 3)])
  func `mongomock answers commands as a server does`(kind: String, seed: Int) throws {
    let script = "'\(Machine.root)/Scripts/oracle-data-source' \(kind)"
    let folder = try Folder()
    let schema = try folder.write(Machine.run("\(script) --class").output, to: "schema.json")
    let applied = try Gatehouse.run(["schema", "apply", schema, "--data", folder.data], in: folder)
    try #require(applied.status == 0, "\(applied.error)")
    let server = try RunningServer(folder)
    let (status, output) = Machine.run("\(script) http://127.0.0.1:\(server.port) 400 --seed \(seed) 2>&1")
    #expect(status == 0 && output.contains("no difference in 400 commands"), Comment(rawValue: output))
    #expect(server.stop() == 0)
  }
}
