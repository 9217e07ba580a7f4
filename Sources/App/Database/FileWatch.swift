import GatehouseAudit

/// Files of a data directory that a running server takes anew.
protocol WatchedFiles: Sendable {
  /// Tells two states of the files apart.
  var stamp: FileStamp { get }
  /// Takes the files as they are; what has an error changes nothing, and is told.
  func reload() async
}

/// Files that are taken by one caller at a time: of two at once, the one that has read them first could come last, and leave what is old.
struct SerialFiles: WatchedFiles {
  private let files: any WatchedFiles
  private let queue = SerialTaskQueue()

  init(_ files: any WatchedFiles) { self.files = files }

  var stamp: FileStamp { files.stamp }

  func reload() async { try? await queue.run { [files] in await files.reload() } }
}

/// Has files taken anew when somebody has changed them.
///
/// A look is a few calls of stat(2). Unlike inotify(7) it sees what editors, version control and mounted volumes do to
/// files alike.
struct FileWatch: Sendable {
  /// The files, and the state in which they were taken last.
  private let files: [(files: any WatchedFiles, taken: FileStamp)]
  /// Waits between two looks; throws where there is to be no other.
  var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  init(_ files: [(files: any WatchedFiles, taken: FileStamp)]) {
    self.files = files
  }

  /// Looks every second, until the task is cancelled. Files that take long, such as those of triggers which are being called, keep none
  /// waiting that change later.
  func run() async {
    await withDiscardingTaskGroup { reloads in
      var known = files.map(\.taken)
      while true {
        do { try await pause(.seconds(1)) } catch { return }
        var changed: [any WatchedFiles] = []
        for (index, entry) in files.enumerated() {
          let current = entry.files.stamp
          guard current != known[index] else { continue }
          known[index] = current
          changed.append(entry.files)
        }
        guard !changed.isEmpty else { continue }
        reloads.addTask { [changed] in for files in changed { await files.reload() } }
      }
    }
  }

  /// Takes all of them anew, changed or not.
  func reload() async {
    for entry in files { await entry.files.reload() }
  }
}
