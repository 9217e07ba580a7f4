import Testing

@Suite(.enabled(if: FaultInjection.isAvailable), .serialized)
struct FaultInjectionTests {
  /// `Scripts/crash` by itself kills a hundred times.
  @Test func `a server that is killed under load keeps what it answered`() throws {
    let folder = try Folder()
    let outcome = try FaultInjection.run("crash", ["--rounds", "3", "--writers", "4"], in: folder)
    #expect(outcome.status == 0 && outcome.said.contains("no faults"), "\(outcome.said)")
  }

  /// `Scripts/crash machine` by itself crashes thirty times. A window in which it never needs a sync by itself depends on no time.
  @Test(.enabled(if: FaultInjection.compiler != nil))
  func `a machine that crashes under load loses no more than answers said`() throws {
    let folder = try Folder()
    let outcome = try FaultInjection.run(
      "crash", ["machine", "--rounds", "3", "--writers", "4", "--window", "60000"], in: folder)
    #expect(outcome.status == 0 && outcome.said.contains("no faults"), "\(outcome.said)")
  }

  /// `Scripts/crash-events` by itself has fifty subscribers and kills twenty times.
  @Test func `subscribers of a server that is killed are told what the change log says`() throws {
    let folder = try Folder()
    let outcome = try FaultInjection.run(
      "crash-events", ["--kills", "3", "--writers", "4", "--subscribers", "16"], in: folder)
    #expect(outcome.status == 0 && outcome.said.contains("no faults"), "\(outcome.said)")
  }

  /// `Scripts/crash triggers` by itself kills thirty times.
  @Test func `triggers of a server that is killed are called for each change, ordered ones in order`() throws
  {
    let folder = try Folder()
    let outcome = try FaultInjection.run(
      "crash", ["triggers", "--kills", "4", "--writers", "2", "--refused", "0"], in: folder)
    #expect(outcome.status == 0 && outcome.said.contains("no faults"), "\(outcome.said)")
  }

  /// `Scripts/replay-results` by itself writes a hundred thousand times.
  @Test func `lists that follow what streams tell are what fresh reads find`() throws {
    let folder = try Folder()
    let outcome = try FaultInjection.run("replay-results", ["--writes", "400"], in: folder)
    #expect(outcome.status == 0 && outcome.said.contains("no faults"), "\(outcome.said)")
  }

  /// `Scripts/faults` by itself runs on larger disks.
  @Test(
    .enabled(if: FaultInjection.compiler != nil),
    arguments: [
      (
        "injected",
        ["eio", "short", "sync", "full"].map { "\($0): refused, kept, recovered\n" } + [
          "deletions without room: "
        ]
      ),
      (
        "lost_sync",
        ["a sync that answered writes depend on: no more writes, not moved, whole after a restart\n"]
      ),
      ("refused", ["a foreign, a newer and a damaged file: refused\n"]),
    ])
  func `a server whose disk fails refuses, keeps and recovers`(scenario: String, lines: [String]) throws {
    try expect(scenario, lines)
  }

  @Test(
    .enabled(if: FaultInjection.compiler != nil && FaultInjection.hasDisks),
    arguments: [
      ("full_disk", "full disk: refused after "), ("deletions_on_a_full_disk", "deletions on a full disk: "),
      ("large_deletion_on_a_full_disk", "a deletion of everything: refused "),
      ("restarts_on_a_full_disk", "restarts on a full disk: opened, deleted, wrote again\n"),
      ("retention_on_a_full_disk", "retention on a full disk: made room\n"),
      ("batches_on_a_full_disk", "an import on a full disk: says what it has done\n"),
      ("read_only_disk", "a read-only disk: refused, looked at, served again\n"),
    ])
  func `a server whose disk is full or read-only refuses, keeps and recovers`(
    scenario: String, line: String
  ) throws {
    try expect(scenario, [line])
  }

  /// Runs a scenario of `Scripts/faults`; one that the script leaves out has failed.
  private func expect(_ scenario: String, _ lines: [String]) throws {
    let folder = try Folder()
    let outcome = try FaultInjection.run("faults", ["--short", "--only", scenario], in: folder)
    #expect(outcome.status == 0 && !outcome.said.contains("skipped:"), "\(outcome.said)")
    for line in lines { #expect(outcome.said.contains(line), "\(outcome.said)") }
  }
}
