import GatehouseTestSupport
import Glibc
import Testing

/// `kill -9` takes nothing that was answered, whether it was on the disk or not: the system has it.
struct KilledDurabilityTests {
  @Test(arguments: ["full", "within-60s"])
  func `a killed server loses nothing that it answered`(durability: String) throws {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(folder, options: ["--access-log", "off"])
    for key in 0..<20 {
      let answer = try server.send(
        "POST", "/v1/collections/Node", fields: ["Prefer": "durability=\(durability)"],
        body: #"{"_id":\#(key),"label":"a","next":null}"#)
      #expect(answer.status == "201 Created")
    }
    server.process.send(SIGKILL)
    server.process.wait()
    #expect(try Sample.nodeKeys(folder) == Array(0..<20))
    #expect(try Gatehouse.run(["check", "--data", folder.data], in: folder).status == 0)
  }
}
