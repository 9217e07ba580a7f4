import FoundationEssentials
import GatehouseTestSupport
import Testing

/// The examples of files on the pages: a server takes them as they stand there.
struct PageExampleTests {
  /// A data directory with the classes that the pages are about.
  private static func pages() throws -> Folder {
    let folder = try Folder()
    let applied = try Gatehouse.run(
      ["schema", "apply", "\(Machine.root)/Config/pages/schema.json", "--data", folder.data], in: folder)
    try #require(applied.status == 0, "\(applied.error)")
    return folder
  }

  private static func example(_ number: Int = 0, of page: String, in language: String) throws -> String {
    let blocks = try PageBlock.blocks(of: page, in: language)
    try #require(blocks.count > number)
    return blocks[number].text
  }

  @Test func `the schema of the README is one`() throws {
    let folder = try Folder()
    let file = try folder.write(Self.example(of: "README.md", in: "json"), to: "schema.json")
    let applied = try Gatehouse.run(["schema", "apply", file, "--data", folder.data], in: folder)
    #expect(applied.status == 0, "\(applied.error)")
  }

  @Test(arguments: [
    ("Sources/API/API.docc/Access.md", 0, "roles.json"), ("Sources/API/API.docc/Access.md", 1, "roles.json"),
    ("Sources/API/API.docc/Users.md", 0, "providers.json"),
  ])
  func `a server begins with the roles and providers of a page`(page: String, number: Int, file: String)
    throws
  {
    let folder = try Self.pages()
    let text = try Self.example(number, of: page, in: "json")
    try FileManager.default.createDirectory(
      atPath: "\(folder.data)/auth/secrets", withIntermediateDirectories: true)
    _ = try folder.write(String(repeating: "k", count: 32), to: "data/auth/secrets/tokenKey")
    _ = try folder.write(text, to: "data/auth/\(file)")
    let server = try RunningServer(folder)
    #expect(server.stop() == 0)
    #expect(try folder.contents(folder.file("serve.log")).contains("error") == false)
  }

  @Test(.enabled(if: hasNode, "Node is not installed"))
  func `the function of the page on context does what it says`() throws {
    let folder = try Self.pages()
    let source = try Self.example(of: "Sources/Functions/Functions.docc/Context.md", in: "js")
    try FileManager.default.createDirectory(
      atPath: "\(folder.data)/functions", withIntermediateDirectories: true)
    _ = try folder.write(source, to: "data/functions/notes.js")
    let server = try RunningServer(folder)
    let answer = try server.send("POST", "/v1/functions/notes", body: "[]")
    #expect(answer.body == #"{"first":"Eleven","gone":null,"rated":["Eleven"],"count":1}"#)
    #expect(server.stop() == 0)
  }

  @Test(.enabled(if: hasNode, "Node is not installed"))
  func `the function of the page on the data source does what it says`() throws {
    let folder = try Self.pages()
    let source = try Self.example(1, of: "Sources/Functions/Functions.docc/Context.md", in: "js")
    try FileManager.default.createDirectory(
      atPath: "\(folder.data)/functions", withIntermediateDirectories: true)
    _ = try folder.write(source, to: "data/functions/stars.js")
    let server = try RunningServer(folder)
    let answer = try server.send("POST", "/v1/functions/stars", body: "[]")
    #expect(answer.body == #"{"best":"More","stars":8,"left":0}"#)
    #expect(server.stop() == 0)
  }

  @Test(.enabled(if: hasNode, "Node is not installed"))
  func `the transaction of the page on the data source does what it says`() throws {
    let folder = try Self.pages()
    let source = try Self.example(2, of: "Sources/Functions/Functions.docc/Context.md", in: "js")
    try FileManager.default.createDirectory(
      atPath: "\(folder.data)/functions", withIntermediateDirectories: true)
    _ = try folder.write(source, to: "data/functions/stars.js")
    let server = try RunningServer(folder)
    let answer = try server.send("POST", "/v1/functions/stars", body: "[]")
    #expect(answer.body == "[5,4]")
    #expect(server.stop() == 0)
  }
}
