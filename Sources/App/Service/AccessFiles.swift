import GatehouseAPI
import GatehouseAccess

/// Keeps providers and roles as the files of the folder `auth` say, while the server runs.
struct AccessFiles: Sendable {
  let folder: AuthFolder
  let access: AccessControl
  let users: Users
  /// Waits between two looks; throws where there is to be no other.
  var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// Told of files that are of no use.
  var warn: @Sendable (String) -> Void = { Service.warn($0) }

  /// The providers of the file; without one those that development needs where nobody has to show a key, and none elsewhere.
  static func providers(of folder: AuthFolder, isGuarded: Bool) throws -> Providers {
    try folder.providers ?? (isGuarded ? .none : .open)
  }

  /// Looks every second, until the task is cancelled, and takes what has changed since `stamp`.
  ///
  /// A look is a few calls of stat(2). Unlike inotify(7) it sees what editors, version control and mounted volumes do to
  /// files alike.
  func run(since stamp: FileStamp) async {
    var known = stamp
    while true {
      do { try await pause(.seconds(1)) } catch { return }
      let current = folder.stamp
      guard current != known else { continue }
      known = current
      await reload()
    }
  }

  /// Takes both files anew; one that has an error changes nothing.
  func reload() async {
    do {
      users.use(try AccessFiles.providers(of: folder, isGuarded: access.isGuarded))
    } catch {
      warn("\(FailureText.of(error)) (the old providers stay)")
    }
    do {
      try await folder.applyRoles(to: access)
    } catch {
      warn("\(FailureText.of(error)) (the old roles stay)")
    }
  }
}
