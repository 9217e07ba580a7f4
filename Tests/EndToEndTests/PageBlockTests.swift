import FoundationEssentials
import GatehouseTestSupport
import Testing

/// Runs the blocks of shell in the README and the pages against a server with the data that they name, so that what is
/// written there can be typed. A block that cannot be run says why, in a comment before it: `<!-- not run: … -->`.
struct PageBlockTests {
  /// Stands for curl, also where a page has a function of that name which calls it. Every request must succeed. A stream
  /// ends after its first event, and must have one.
  private static let curl = """
    #!/bin/bash
    run() { '\(Machine.program("curl") ?? "curl")' -sS --fail-with-body "$@"; }
    case " $* " in
    *' -N '*)
      run "$@" | {
        while IFS= read -r line; do
          printf '%s\\n' "$line"
          case "$line" in event:*) exit 0 ;; esac
        done
        exit 1
      } ;;
    *) run "$@" ;;
    esac || { echo "refused: $*" >&2; exit 1; }
    """

  /// Runs the blocks by themselves, one after the other, until a line fails.
  static func run(
    _ blocks: [PageBlock], in folder: Folder, port: UInt16
  ) throws -> (status: Int32, output: String) {
    try FileManager.default.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: true)
    _ = try folder.write(Self.curl, to: "curl.text")
    _ = try folder.write(script(blocks, in: folder, port: port), to: "script")
    // Another process writes the program: what this one has open, others that it starts meanwhile would keep busy.
    let install = "cat curl.text > bin/curl && chmod 755 bin/curl"
    return Machine.run("cd '\(folder.path)' && \(install) && bash script 2>&1")
  }

  private static func script(_ blocks: [PageBlock], in folder: Folder, port: UInt16) -> String {
    let prelude = """
      set -eu -o pipefail
      PATH='\(folder.file("bin"))':$PATH
      gatehouse() { '\(Gatehouse.path)' "$@" --data '\(folder.data)'; }
      """
    let texts = blocks.map { "# line \($0.line)\n" + $0.text }.joined(separator: "\n")
    return prelude + "\n"
      + texts.replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")
      .replacing("localhost:8080", with: "localhost:\(port)")
  }

  private static func fill(_ folder: Folder, from sample: String) throws {
    let path = "\(Machine.root)/Config/\(sample)"
    let applied = try Gatehouse.run(
      ["schema", "apply", "\(path)/schema.json", "--data", folder.data], in: folder)
    try #require(applied.status == 0, "\(applied.error)")
    for file in try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    where file.hasSuffix(".ndjson") {
      let name = file.dropLast(".ndjson".count).split(separator: "-").last.map(String.init) ?? ""
      let outcome = try Gatehouse.run(["import", name, "\(path)/\(file)", "--data", folder.data], in: folder)
      try #require(outcome.status == 0, "\(outcome.error)")
    }
  }

  @Test(
    .enabled(if: Machine.program("curl") != nil && hasNode, "curl or Node is not installed"),
    arguments: [
      ("README.md", "sample"), ("Sources/API/API.docc/Events.md", "pages"),
      ("Sources/API/API.docc/Audit.md", "pages"), ("Sources/API/API.docc/Access.md", "pages"),
      ("Sources/API/API.docc/Properties.md", "pages"), ("Sources/API/API.docc/DataSource.md", "pages"),
      ("Sources/API/API.docc/Users.md", "pages"),
      ("Sources/API/API.docc/Queries.md", "sample"), ("Sources/App/App.docc/Migrations.md", "pages"),
      ("Sources/App/App.docc/Import.md", "sample"),
    ])
  func `the lines of a page do what it says`(page: String, sample: String) throws {
    let blocks = try PageBlock.blocks(of: page, in: "sh")
    #expect(!blocks.isEmpty)
    let folder = try Folder()
    try Self.fill(folder, from: sample)
    let run = { (isBeforeServer: Bool, port: UInt16) in
      let chosen = blocks.filter { $0.reason == nil && $0.isBeforeServer == isBeforeServer }
      let outcome = try Self.run(chosen, in: folder, port: port)
      #expect(outcome.status == 0, "\(page): \(outcome.output)")
    }
    try run(true, 0)
    let server = try RunningServer(folder, options: ["--events-heartbeat-seconds", "1"])
    try run(false, server.port)
    #expect(server.stop() == 0)
  }

  @Test(
    .enabled(if: Machine.program("curl") != nil, "curl is not installed"),
    arguments: [
      ("curl http://127.0.0.1:8080/v1/collections/Country", true),
      ("curl http://127.0.0.1:8080/v1/collections/Nothing", false),
      ("curl http://127.0.0.1:8080/v1/collections/Nothing | sed q", false),
      ("curl() { command curl -s \"$@\"; }\ncurl http://127.0.0.1:8080/v1/collections/Nothing", false),
      ("curl -N -H 'Accept: text/event-stream' http://127.0.0.1:8080/v1/collections/Country", true),
      ("curl -N -H 'Accept: text/event-stream' http://127.0.0.1:8080/v1/collections/Nothing", false),
      ("curl -N http://127.0.0.1:8080/v1/collections/Country", false),
    ])
  func `a line that is refused fails its page`(line: String, isRight: Bool) throws {
    let folder = try Folder()
    try Self.fill(folder, from: "pages")
    let server = try RunningServer(folder, options: ["--events-heartbeat-seconds", "1"])
    let block = PageBlock(text: line + "\ntrue", line: 1, reason: nil, isBeforeServer: false)
    let outcome = try Self.run([block], in: folder, port: server.port)
    #expect((outcome.status == 0) == isRight, "\(outcome.output)")
    #expect(server.stop() == 0)
  }

  @Test func `a block is run, or says why not`() throws {
    for page in ["README.md"] + ["Access", "Users", "Queries"].map({ "Sources/API/API.docc/\($0).md" }) {
      for block in try PageBlock.blocks(of: page, in: "sh") {
        #expect(block.reason.map { $0.count > 10 } ?? true, "\(page), line \(block.line)")
      }
    }
  }

  /// The function of Context.md, and its answer.
  @Test(.enabled(if: hasNode, "Node is not installed"))
  func `the example of context.realm works`() throws {
    let page = try String(
      contentsOfFile: "\(Machine.root)/Sources/Functions/Functions.docc/Context.md", encoding: .utf8)
    let source = try #require(page.components(separatedBy: "```js\n", atMost: 2).last).components(
      separatedBy: "```", atMost: 2)[0]
    let folder = try Folder()
    try Self.fill(folder, from: "pages")
    try FileManager.default.createDirectory(
      atPath: "\(folder.data)/functions", withIntermediateDirectories: true)
    try source.write(toFile: "\(folder.data)/functions/f.js", atomically: false, encoding: .utf8)
    let server = try RunningServer(folder)
    let answer = try server.send("POST", "/v1/functions/f", body: "[]")
    #expect(answer.body == #"{"first":"Eleven","gone":null,"rated":["Eleven"],"count":1}"#)
    #expect(server.stop() == 0)
  }

  @Test func `a misspelt provider is refused with its line`() throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(atPath: "\(folder.data)/auth", withIntermediateDirectories: true)
    let path = "\(folder.data)/auth/providers.json"
    let text = "{\"local-userpass\": {\n  \"config\": {\n    \"autoconfirm\": true}}}\n"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    let outcome = try Gatehouse.run(["serve", "--data", folder.data, "--listen", "127.0.0.1:0"], in: folder)
    #expect(outcome.status == 1)
    #expect(
      outcome.error.hasSuffix(
        "gatehouse: \(path), line 3: there is no member 'local-userpass.config.autoconfirm'\n"))
  }

  /// The file that Users.md shows is one that can be used.
  @Test func `the example of providers is read`() throws {
    let page = try String(contentsOfFile: "\(Machine.root)/Sources/API/API.docc/Users.md", encoding: .utf8)
    let example = try #require(page.components(separatedBy: "```json\n", atMost: 2).last).components(
      separatedBy: "```", atMost: 2)[0]
    let folder = try Folder()
    try FileManager.default.createDirectory(
      atPath: "\(folder.data)/auth/secrets", withIntermediateDirectories: true)
    try example.write(toFile: "\(folder.data)/auth/providers.json", atomically: false, encoding: .utf8)
    try String(repeating: "k", count: 32).write(
      toFile: "\(folder.data)/auth/secrets/tokenKey", atomically: false, encoding: .utf8)
    let server = try RunningServer(folder)
    let login = try server.send(
      "POST", "/api/client/v2.0/app/any/auth/providers/anon-user/login", body: "{}")
    #expect(login.status.hasPrefix("200"), "\(login.body)")
    #expect(server.stop() == 0)
  }
}
