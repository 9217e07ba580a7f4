import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

/// `gatehouse backup --to DIRECTORY`: several backups, each with what has changed since the one before.
struct BackupPlaceTests {
  private func backUp(_ folder: Folder, _ options: String...) throws -> Gatehouse.Outcome {
    let outcome = try Gatehouse.run(["backup", "--to", "keep", "--data", folder.data] + options, in: folder)
    #expect(outcome.status == 0, "\(outcome.error)")
    return outcome
  }

  private func importNodes(_ range: Range<Int>, in folder: Folder) throws {
    let nodes = try folder.write(Sample.nodes(range), to: "nodes.ndjson")
    let outcome = try Gatehouse.run(["import", "Node", nodes, "--data", folder.data], in: folder)
    try #require(outcome.status == 0, "\(outcome.error)")
  }

  private func backups(_ folder: Folder) throws -> [String] {
    try Gatehouse.run(["restore", "keep", "--list"], in: folder).lines
  }

  private func restore(_ folder: Folder, to name: String, _ options: String...) throws -> Gatehouse.Outcome {
    let outcome = try Gatehouse.run(["restore", "keep", name] + options, in: folder)
    if outcome.status == 0 {
      #expect(try Gatehouse.run(["check", "--data", name], in: folder).error == "no faults\n")
    }
    return outcome
  }

  private func count(_ name: String, in folder: Folder) throws -> Int {
    try Gatehouse.run(["export", "Node", "--data", name], in: folder).lines.count
  }

  @Test func `a class that was deleted comes back with its objects by going back in time`() throws {
    let folder = try Sample.nodeStore()
    try importNodes(0..<1000, in: folder)
    _ = try backUp(folder)
    try importNodes(1000..<1100, in: folder)
    _ = try backUp(folder)
    let empty = try folder.write("[]", to: "empty.json")
    let deleted = try Gatehouse.run(
      ["schema", "apply", empty, "--destructive", "--data", folder.data], in: folder)
    try #require(deleted.status == 0, "\(deleted.error)")
    _ = try backUp(folder)

    let list = try backups(folder)
    try #require(list.count == 3)
    let times = list.map { String($0.prefix { $0 != "," }) }
    let versions = list.map { String($0.split(separator: " ").last ?? "") }
    #expect(try restore(folder, to: "now").status == 0)
    let gone = try Gatehouse.run(["export", "Node", "--data", "now"], in: folder)
    #expect(gone.status == 1 && gone.error.contains("there is no class 'Node'"), "\(gone.error)")
    let second = try restore(folder, to: "second", "--at", times[1])
    #expect(
      second.error.hasSuffix("second is as of \(times[1]), version \(versions[1])\n"), "\(second.error)")
    #expect(try count("second", in: folder) == 1100)
    #expect(try restore(folder, to: "first", "--at", versions[0]).status == 0)
    #expect(try count("first", in: folder) == 1000)
    // The last one before.
    let between = times[1].replacing("Z", with: "") + "Z"
    #expect(between == times[1])
    #expect(try restore(folder, to: "late", "--at", "9999-12-31T23:59:59+01:00").status == 0)
    let early = try restore(folder, to: "early", "--at", "2020-01-01T00:00:00Z")
    #expect(
      (early.status, early.error) == (1, "gatehouse: keep holds no backup that is as old as --at asks for\n"))
    #expect(try folder.shell("ls early 2>/dev/null || true") == "")
  }

  @Test func `files that change are in the backup of their time, and modes are`() throws {
    let folder = try Sample.nodeStore()
    _ = try folder.shell(
      "mkdir -p data/functions data/auth && echo one > data/functions/a.js && : > data/functions/empty.js"
        + " && head -c 2500000 /dev/urandom > data/functions/large && chmod 755 data/functions/large"
        + " && ln -s a.js data/functions/link")
    let large = try folder.shell("sha256sum < data/functions/large")
    _ = try backUp(folder)
    _ = try folder.shell(
      "echo two > data/functions/a.js; rm data/functions/empty.js; chmod 700 data/functions/large")
    let second = try backUp(folder)
    #expect(second.error.hasPrefix("backup: ") && !second.error.hasPrefix("backup: 2,"), "\(second.error)")
    let first = String(try #require(try backups(folder).first).prefix { $0 != "," })
    #expect(try restore(folder, to: "old", "--at", first).status == 0)
    #expect(try restore(folder, to: "new").status == 0)
    #expect(try folder.shell("cat old/functions/link new/functions/link") == "one\ntwo\n")
    #expect(
      try folder.shell("ls old/functions new/functions | tr '\\n' ' '")
        == "new/functions: a.js large link  old/functions: a.js empty.js large link ")
    #expect(try folder.shell("stat -c %a old/functions/large new/functions/large") == "755\n700\n")
    #expect(try folder.shell("sha256sum < new/functions/large") == large)
    // They hold secrets.
    #expect(try folder.shell("find keep -type f ! -perm 600; find keep -type d ! -perm 700") == "")
  }

  @Test func `a running backup writes the pages that changed, and ends by a signal`() throws {
    let folder = try Sample.nodeStore()
    try importNodes(0..<20_000, in: folder)
    let server = try RunningServer(folder)
    let pipe = try Pipe()
    let process = try ChildProcess(
      Gatehouse.path,
      ["backup", "--to", "file://\(folder.file("keep"))", "--every", "1s", "--data", folder.data],
      workingDirectory: folder.path,
      streams: [.read("/dev/null"), .write(folder.file("out")), .descriptor(pipe.writing)])
    let whole = pipe.read { $0.contains("\n") }
    let size = try #require(
      whole.firstMatch(of: /backup of .*, version 2: ([\d,]+) KiB written/)?.1, "\(whole)")
    #expect((Int(size.filter { $0 != "," }) ?? 0) > 2000, "\(whole)")
    for key in 0..<3 {
      let changed = try server.send(
        "PATCH", "/v1/collections/Node/\(key * 5000)", body: #"{"label":"changed"}"#)
      #expect(changed.status == "200 OK", "\(changed.body)")
    }
    let rounds = pipe.read { $0.contains("version 5: ") && $0.hasSuffix("\n") }
    // A few pages of 4 KiB, and the manifest.
    let sizes = rounds.matches(of: /, version \d: (\d+) KiB written/).compactMap { Int($0.1) }
    #expect(!sizes.isEmpty && sizes.reduce(0, +) < 200, "\(rounds)")
    process.send(SIGTERM)
    #expect(process.wait() == 0)
    #expect(server.stop() == 0)
    #expect(try restore(folder, to: "new").status == 0)
    #expect(
      try folder.shell("'\(Gatehouse.path)' export Node --data new 2>/dev/null | grep -c changed") == "3\n")
    #expect(try count("new", in: folder) == 20_000)
  }

  @Test func `what no backup needs goes, and what others may be writing stays`() throws {
    let folder = try Sample.nodeStore()
    for round in 0..<4 {
      try importNodes((round * 100)..<(round * 100 + 100), in: folder)
      _ = try backUp(folder)
    }
    let digest = String(repeating: "0", count: 64)
    let (old, new) = ("2020-01-01T00-00-00Z-00000000-\(digest)", "9020-01-01T00-00-00Z-00000000-\(digest)")
    _ = try folder.shell(
      "touch keep/blobs/\(old) keep/blobs/\(old).partial keep/blobs/\(new) keep/blobs/mine")
    // All that is there was written long ago.
    _ = try folder.shell("ls keep/blobs > before")
    let outcome = try backUp(folder, "--keep", "2")
    #expect(outcome.error.hasSuffix("3 backups removed\n"), "\(outcome.error)")
    #expect(try backups(folder).count == 2)
    #expect(try folder.shell("ls keep/blobs | grep -e mine -e 0000000000") == "\(new)\nmine\n")
    for (index, backup) in try backups(folder).enumerated() {
      let time = String(backup.prefix { $0 != "," })
      #expect(try restore(folder, to: "new\(index)", "--at", time).status == 0)
    }
    #expect(try backUp(folder, "--keep", "30d").error.hasSuffix("removed\n") == false)
  }

  @Test func `a damaged or lost blob is found, and nothing is restored`() throws {
    let folder = try Sample.nodeStore()
    try importNodes(0..<500, in: folder)
    _ = try backUp(folder)
    let blob = try folder.shell("ls -S keep/blobs | head -n 1").split(separator: "\n")[0]
    _ = try folder.shell("printf x | dd of=keep/blobs/\(blob) seek=5000 bs=1 conv=notrunc status=none")
    let damaged = try restore(folder, to: "new")
    let sentence = "keep/blobs/\(blob) is not as it was when the backup was made"
    #expect((damaged.status, damaged.error) == (1, "gatehouse: \(sentence)\n"))
    _ = try folder.shell("rm keep/blobs/\(blob)")
    let lost = try restore(folder, to: "new")
    #expect(
      (lost.status, lost.error) == (
        1, "gatehouse: cannot read keep/blobs/\(blob): No such file or directory\n"
      ))
    #expect(try folder.shell("ls new") == "lock\n")
  }

  @Test(arguments: [
    (["backup"], "'backup' needs DIR or --to PLACE\nTry: gatehouse help backup"),
    (["backup", "x", "--every", "10m"], "--every goes with --to PLACE"),
    (["backup", "x", "--to", "y"], "'backup --to' does not take 'x'\nTry: gatehouse help backup --to"),
    (
      ["backup", "--to", "x", "--every", "0m"],
      "--every must be a number with s, m, h or d, such as 10m, not '0m'"
    ),
    (
      ["backup", "--to", "x", "--keep", "-1"],
      "--keep must be a number of backups, or a time such as 36h or 7d, not '-1'"
    ),
    (["backup", "--to", "s3://B"], "the place must be s3://BUCKET or s3://BUCKET/PREFIX, not 's3://B'"),
    (["backup", "--to", "file://x"], "the place must be file:// and an absolute path, not 'file://x'"),
    (
      ["restore", "x", "y", "--at", "yesterday"],
      "--at must be a time such as 2026-11-25T14:45:00Z, or a version, not 'yesterday'"
    ),
    (["restore", "x"], "'restore' needs DIR\nTry: gatehouse help restore"),
  ])
  func `words that are not understood exit with 2`(arguments: [String], message: String) throws {
    let folder = try Folder()
    let outcome = try Gatehouse.run(arguments, in: folder)
    #expect((outcome.status, outcome.error) == (2, "gatehouse: \(message)\n"))
  }

  @Test func `backups are not mixed with what is there`() throws {
    let folder = try Sample.nodeStore()
    let inside = try Gatehouse.run(["backup", "--to", folder.data, "--data", folder.data], in: folder)
    #expect((inside.status, inside.error) == (1, "gatehouse: \(folder.data) holds a store already.\n"))
    _ = try folder.shell("mkdir other && touch other/file")
    let other = try Gatehouse.run(["backup", "--to", "other", "--data", folder.data], in: folder)
    #expect(other.status == 1 && other.error.hasPrefix("gatehouse: other is not empty"), "\(other.error)")
    let none = try Gatehouse.run(["restore", "other", "new"], in: folder)
    #expect((none.status, none.error) == (1, "gatehouse: other holds no backup\n"))
  }

  /// Moments that depend on nothing but time, so that every step has its turn.
  @Test(arguments: [5, 10, 15, 20, 30, 40, 60] as [UInt32])
  func `a backup that is killed leaves the earlier ones, and the next one is whole`(milliseconds: UInt32)
    throws
  {
    let folder = try Sample.nodeStore()
    try importNodes(0..<3000, in: folder)
    _ = try backUp(folder)
    try importNodes(3000..<6000, in: folder)
    let process = try ChildProcess(
      Gatehouse.path, ["backup", "--to", "keep", "--data", folder.data], workingDirectory: folder.path,
      streams: [.read("/dev/null"), .write("/dev/null"), .write("/dev/null")])
    // Not to wait for something, but to choose the moment.
    usleep(milliseconds * 1000)
    process.send(SIGKILL)
    process.wait()
    #expect(try restore(folder, to: "first").status == 0)
    #expect([3000, 6000].contains(try count("first", in: folder)))
    _ = try backUp(folder)
    #expect(try restore(folder, to: "second").status == 0)
    #expect(try count("second", in: folder) == 6000)
  }
}
