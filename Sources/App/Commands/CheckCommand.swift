import GatehouseStorage

/// `gatehouse check`.
struct CheckCommand: Command {
  static let synopsis = Synopsis(
    "check", summary: "Looks for damage in the store, while a server may use it.", settings: .some(["data"]),
    details: """
      Checks SQLite's structures, and what Gatehouse relies on: elements have owners, links have targets, embedded \
      objects one parent, lists no gaps, counters count, and the change log is whole. A line for each fault on \
      standard output; the exit code is 1 if there are any.
      """)

  let directory: String

  init(_ arguments: Arguments, settings: Settings) {
    directory = settings.data
  }

  func run() throws {
    var progress = ProgressDisplay(title: "check", unit: "classes")
    let violations = try StoreSnapshot(directory: directory).check { done, total in
      progress.update(objects: done, fraction: Double(done) / Double(total))
    }
    progress.abandon()
    for violation in violations { Output.standard.write("\(violation.text)\n") }
    guard violations.isEmpty else {
      throw CommandError.damaged(directory: directory, violations: violations.count)
    }
    Output.error.write("no faults\n")
  }
}

extension Violation {
  /// The fault, in words.
  var text: String {
    switch self {
    case .file(let text): "file: \(text)"
    case .orphanElements(let place, let count): "\(place): \(count) elements of objects that are not there"
    case .danglingLinks(let place, let count): "\(place): \(count) links to objects that are not there"
    case .embeddedParents(let name, let count):
      "\(name): \(count) embedded objects without exactly one parent"
    case .wrongCount(let name, let kept, let counted): "\(name): \(counted) objects, counted as \(kept)"
    case .keyReuse(let name, let next, let largest):
      "\(name): the next key is \(next), but \(largest) is taken"
    case .unknownVersions(let name, let count): "\(name): \(count) objects with the version of no commit"
    case .wrongBlocks(let place, let count): "\(place): \(count) blocks of lists that count wrong"
    case .wrongWords(let place, let count): "\(place): \(count) wrong entries in the full-text index"
    case .unnotedMixedLinks(let place, let count): "\(place): \(count) links that deletions would miss"
    case .missingCommits(let count): "log: \(count) commits missing"
    case .logBeyondLastCommit(let count): "log: given up \(count) commits too far"
    case .changesWithoutCommit(let count): "log: \(count) changes without commit"
    case .unnumberedChanges(let count): "log: \(count) commits with gaps in their changes"
    case .emptyCommits(let count): "log: \(count) commits without changes"
    case .unreadableChanges(let count): "log: \(count) changes that mean nothing"
    case .nulls(let place, let count): "\(place): \(count) nulls that must not be"
    case .missing(let name): "\(name) is not there"
    case .unreadableTimes(let count): "log: \(count) commits whose time is no date"
    case .timesAhead(let count): "log: \(count) commits later than now; compact gives them the present time"
    case .sizesShrink(let count): "log: \(count) commits that count fewer bytes than those before them"
    case .uncountableSizes(let count): "log: \(count) commits whose bytes cannot be counted"
    case .timesGoBack(let count): "log: \(count) commits older than those before them"
    case .malformedTexts(let place, let count): "\(place): \(count) texts that are not UTF-8"
    case .illegalKeys(let place, let count): "\(place): \(count) keys with a zero byte in them"
    case .unreadable(let place, let count): "\(place): \(count) values that mean nothing"
    }
  }
}
