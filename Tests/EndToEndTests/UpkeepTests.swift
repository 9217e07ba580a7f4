import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

struct UpkeepTests {
  @Test func `a backup and a check work while a server has the store`() throws {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(folder)
    let created = try server.send("POST", "/v1/collections/Node", body: #"{"_id":1,"label":"kept"}"#)
    #expect(created.status == "201 Created")
    let copy = folder.file("copy")
    let backup = try Gatehouse.run(["backup", copy, "--data", folder.data], in: folder)
    #expect((backup.status, backup.output) == (0, ""))
    #expect(backup.error.contains("KiB copied"))
    let check = try Gatehouse.run(["check", "--data", folder.data], in: folder)
    #expect((check.status, check.output, check.error) == (0, "", "no faults\n"))
    let compact = try Gatehouse.run(["compact", "--data", folder.data], in: folder)
    #expect(compact.status == 1 && compact.error.contains("is in use by process"), "\(compact.error)")
    #expect(server.stop() == 0)
    let restored = try Gatehouse.run(["export", "Node", "--data", copy], in: folder)
    #expect(restored.output == #"{"_id":1,"label":"kept","next":null}"# + "\n")
    let again = try Gatehouse.run(["backup", copy, "--data", folder.data], in: folder)
    #expect((again.status, again.error) == (1, "gatehouse: \(copy) holds a store already.\n"))
  }

  @Test func `no umask opens the store to others, and what was open is closed with a warning`() throws {
    let folder = try Sample.nodeStore()
    let nodes = try folder.write(Sample.nodes(0..<3), to: "nodes.ndjson")
    let open = "find . -path './new*' -perm /077"
    let program = "'\(Gatehouse.path)'"
    let made = Machine.run(
      """
      cd '\(folder.path)' && umask 0 && { \(program) schema apply schema.json --data new &&
      \(program) import Node '\(nodes)' --data new && \(program) key create --role admin --data new &&
      \(program) backup new-copy --data new; } > said 2>&1 && \(open)
      """)
    let said = try folder.contents(folder.file("said"))
    #expect(made == (0, ""), "\(said)")
    #expect(Machine.run("cd '\(folder.path)' && chmod 755 new && chmod 644 new/gatehouse.db").status == 0)
    let keys = ["key", "list", "--data", folder.file("new")]
    let outcome = try Gatehouse.run(keys, in: folder)
    let closed = ["", "/gatehouse.db"].map {
      "gatehouse: \(folder.file("new"))\($0) could be looked into by other users; now it cannot\n"
    }
    #expect((outcome.status, outcome.error) == (0, closed.joined()))
    #expect(Machine.run("cd '\(folder.path)' && \(open)") == (0, ""))
    #expect(try Gatehouse.run(keys, in: folder).error == "")
  }

  @Test func `compact says what it gave back`() throws {
    let folder = try Sample.nodeStore()
    let outcome = try Gatehouse.run(["compact", "--data", folder.data], in: folder)
    #expect(outcome.status == 0 && outcome.error.contains(" KiB after\n"), "\(outcome.error)")
    let nowhere = try Gatehouse.run(["compact", "--data", folder.file("none")], in: folder)
    #expect((nowhere.status, nowhere.error) == (1, "gatehouse: \(folder.file("none")) holds no store.\n"))
  }

  @Test func `what a file would change is told, a line each`() throws {
    let folder = try Sample.nodeStore()
    let other = try folder.write(
      #"[{"name":"Node","primaryKey":"_id","properties":{"_id":"int","title":"string?","next":"Node"}}]"#,
      to: "other.json")
    let expected = ["Node.title: string? added", "Node.label: string removed (destructive)"]
    let diff = try Gatehouse.run(["schema", "diff", other, "--data", folder.data], in: folder)
    #expect((diff.status, diff.lines) == (0, expected), "\(diff.error)")
    let files = try Gatehouse.run(["schema", "diff", folder.file("schema.json"), other], in: folder)
    #expect((files.status, files.lines) == (0, expected), "\(files.error)")
    let same = try Gatehouse.run(
      ["schema", "diff", folder.file("schema.json"), "--data", folder.data], in: folder)
    #expect((same.status, same.output) == (0, ""))
  }

  @Test func `a property is renamed with its values`() throws {
    let folder = try Sample.nodeStore()
    let nodes = try folder.write(#"{"_id":1,"label":"kept"}"# + "\n", to: "nodes.ndjson")
    #expect(try Gatehouse.run(["import", "Node", nodes, "--data", folder.data], in: folder).status == 0)
    let other = try folder.write(
      #"[{"name":"Node","primaryKey":"_id","properties":{"_id":"int","title":"string","next":"Node"}}]"#,
      to: "other.json")
    let applied = try Gatehouse.run(
      ["schema", "apply", other, "--rename", "Node.label:title", "--data", folder.data], in: folder)
    #expect(applied.status == 0, "\(applied.error)")
    let exported = try Gatehouse.run(["export", "Node", "--data", folder.data], in: folder)
    #expect(exported.output == #"{"_id":1,"title":"kept","next":null}"# + "\n")
  }

  @Test func `a damaged store is told apart from a whole one`() throws {
    let folder = try Sample.nodeStore()
    let path = "\(folder.data)/gatehouse.db"
    var content = Array(try Data(contentsOf: URL(filePath: path)))
    content.replaceSubrange(100..<164, with: [UInt8](repeating: 0xEE, count: 64))
    try Data(content).write(to: URL(filePath: path))
    let check = try Gatehouse.run(["check", "--data", folder.data], in: folder)
    #expect(check.status == 1 && check.error.contains("damaged"), "\(check.output)\(check.error)")
    let serve = try Gatehouse.run(["serve", "--data", folder.data, "--listen", "127.0.0.1:0"], in: folder)
    #expect(serve.status == 1 && serve.error.contains("damaged"), "\(serve.error)")
  }
}
