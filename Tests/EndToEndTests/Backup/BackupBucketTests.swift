import GatehouseTestSupport
import Glibc
import Testing

/// `gatehouse backup --to s3://…`, against an S3 server of others.
@Suite(.enabled(if: S3Server.isThere, "needs python3 with boto3 and moto: pip install 'moto[server]'"))
struct BackupBucketTests {
  private func importNodes(_ range: Range<Int>, in folder: Folder) throws {
    let nodes = try folder.write(Sample.nodes(range), to: "nodes.ndjson")
    let outcome = try Gatehouse.run(["import", "Node", nodes, "--data", folder.data], in: folder)
    try #require(outcome.status == 0, "\(outcome.error)")
  }

  private func run(_ words: [String], _ environment: [String], in folder: Folder) throws -> Gatehouse.Outcome
  {
    let data = words[0] == "backup" ? ["--data", folder.data] : []
    return try Gatehouse.run(words + data, environment: environment, in: folder)
  }

  private func count(_ name: String, in folder: Folder) throws -> Int {
    #expect(try Gatehouse.run(["check", "--data", name], in: folder).error == "no faults\n")
    return try Gatehouse.run(["export", "Node", "--data", name], in: folder).lines.count
  }

  @Test func `a bucket gives back each state that was backed up`() throws {
    let folder = try Sample.nodeStore()
    let server = try S3Server(folder)
    let place = "s3://backups/a ü&b/nightly/"
    try importNodes(0..<6000, in: folder)
    let first = try run(["backup", "--to", place], server.environment, in: folder)
    try #require(first.status == 0, "\(first.error)")
    try importNodes(6000..<6100, in: folder)
    let second = try run(["backup", "--to", place, "--keep", "5"], server.environment, in: folder)
    #expect(second.status == 0, "\(second.error)")
    let keys = try server.send("keys")
    #expect(keys.allSatisfy { $0.hasPrefix("a ü&b/nightly/b") }, "\(keys)")
    let list = try run(["restore", place, "--list"], server.environment, in: folder).lines
    try #require(list.count == 2)
    let time = String(list[0].prefix { $0 != "," })
    #expect(try run(["restore", place, "old", "--at", time], server.environment, in: folder).status == 0)
    #expect(try run(["restore", place, "new"], server.environment, in: folder).status == 0)
    #expect(try count("old", in: folder) == 6000)
    #expect(try count("new", in: folder) == 6100)
    #expect(try run(["backup", "--to", place, "--keep", "1"], server.environment, in: folder).status == 0)
    #expect(try server.send("keys").count { $0.contains("/backups/") } == 1)
  }

  @Test func `more names than fit into one answer are all found`() throws {
    let folder = try Sample.nodeStore()
    let server = try S3Server(folder)
    try server.send("fill 1001")
    #expect(try run(["backup", "--to", "s3://backups"], server.environment, in: folder).status == 0)
    #expect(try run(["restore", "s3://backups", "--list"], server.environment, in: folder).lines.count == 1)
  }

  @Test func `what the server refuses is said, and nothing is written`() throws {
    let folder = try Sample.nodeStore()
    let server = try S3Server(folder)
    let failures: [([String], String, String)] = [
      (
        server.environment.map { $0.hasPrefix("AWS_SECRET") ? "AWS_SECRET_ACCESS_KEY=other" : $0 },
        "s3://backups",
        "s3://backups: SignatureDoesNotMatch: Signed & wrong (403)"
      ),
      (
        server.environment, "s3://missing",
        "s3://missing: NoSuchBucket: The specified bucket does not exist (404)"
      ),
      (
        server.environment.dropLast() + ["AWS_ENDPOINT_URL=http://127.0.0.1:1"], "s3://backups",
        "127.0.0.1:1 does not answer: nobody listens there"
      ),
    ]
    for (environment, place, message) in failures {
      let outcome = try run(["backup", "--to", place], environment, in: folder)
      #expect((outcome.status, outcome.error) == (1, "gatehouse: \(message)\n"))
    }
    let bare = try run(["backup", "--to", "s3://backups"], [], in: folder)
    let sentence = "an S3 server needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    #expect((bare.status, bare.error) == (1, "gatehouse: \(sentence)\n"))
    #expect(try server.send("keys") == [])
  }

  @Test func `a network that fails midway fails the backup, and the next round makes it`() throws {
    let folder = try Sample.nodeStore()
    let server = try S3Server(folder)
    try importNodes(0..<6000, in: folder)
    try server.send("fail 1")
    let pipe = try Pipe()
    let process = try ChildProcess(
      Gatehouse.path, ["backup", "--to", "s3://backups", "--every", "1s", "--data", folder.data],
      environment: server.environment, workingDirectory: folder.path,
      streams: [.read("/dev/null"), .write(folder.file("out")), .descriptor(pipe.writing)])
    let failed = pipe.read { $0.contains("\n") }
    let sentence = "gatehouse: no backup: 127.0.0.1:\(server.port) does not answer: the connection broke\n"
    #expect(failed == sentence)
    let keys = try server.send("keys")
    #expect(keys.count == 1 && keys[0].hasPrefix("blobs/"), "\(keys)")
    try server.send("work")
    let made = pipe.read { $0.contains("gatehouse: backup of ") && $0.hasSuffix("\n") }
    #expect(made.contains(", version 2: "), "\(made)")
    process.send(SIGTERM)
    #expect(process.wait() == 0)
    #expect(try run(["restore", "s3://backups", "new"], server.environment, in: folder).status == 0)
    #expect(try count("new", in: folder) == 6000)
  }

  @Test func `a damaged object is found`() throws {
    let folder = try Sample.nodeStore()
    let server = try S3Server(folder)
    try importNodes(0..<100, in: folder)
    #expect(try run(["backup", "--to", "s3://backups"], server.environment, in: folder).status == 0)
    let blob = try #require(try server.send("keys").first { $0.hasPrefix("blobs/") })
    try server.send("break \(blob)")
    let restored = try run(["restore", "s3://backups", "new"], server.environment, in: folder)
    let sentence = "s3://backups/\(blob) is not as it was when the backup was made"
    #expect((restored.status, restored.error) == (1, "gatehouse: \(sentence)\n"))
  }
}
