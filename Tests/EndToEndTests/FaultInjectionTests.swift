import Testing

@Suite(.enabled(if: FaultInjection.isAvailable), .serialized)
struct FaultInjectionTests {
  /// `Scripts/crash` by itself kills a hundred times.
  @Test func `a server that is killed under load keeps what it answered`() throws {
    let folder = try Folder()
    let outcome = try FaultInjection.run("crash", ["--rounds", "3", "--writers", "4"], in: folder)
    #expect(outcome.status == 0 && outcome.said.contains("no faults"), "\(outcome.said)")
  }

  /// `Scripts/crash-events` by itself has fifty subscribers and kills twenty times.
  @Test func `subscribers of a server that is killed are told what the change log says`() throws {
    let folder = try Folder()
    let outcome = try FaultInjection.run(
      "crash-events", ["--kills", "3", "--writers", "4", "--subscribers", "16"], in: folder)
    #expect(outcome.status == 0 && outcome.said.contains("no faults"), "\(outcome.said)")
  }

  /// `Scripts/replay-results` by itself writes a hundred thousand times.
  @Test func `lists that follow what streams tell are what fresh reads find`() throws {
    let folder = try Folder()
    let outcome = try FaultInjection.run("replay-results", ["--writes", "400"], in: folder)
    #expect(outcome.status == 0 && outcome.said.contains("no faults"), "\(outcome.said)")
  }

  /// `Scripts/faults` by itself runs on larger disks.
  @Test(.enabled(if: FaultInjection.compiler != nil))
  func `a server whose disk fails refuses, keeps and recovers`() throws {
    let folder = try Folder()
    let outcome = try FaultInjection.run("faults", ["--short"], in: folder)
    #expect(outcome.status == 0, "\(outcome.said)")
    #expect(outcome.said.contains("deletions without room: "), "\(outcome.said)")
    for kind in ["eio", "short", "sync", "full"] {
      #expect(outcome.said.contains("\(kind): refused, kept, recovered\n"), "\(outcome.said)")
    }
    #expect(outcome.said.contains("damaged file: refused"), "\(outcome.said)")
  }
}
