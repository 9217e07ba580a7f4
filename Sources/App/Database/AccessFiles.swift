import GatehouseAPI
import GatehouseAccess

/// Keeps providers and roles as the files of the folder `auth` say, while the server runs.
struct AccessFiles: WatchedFiles {
  let folder: AuthFolder
  let access: AccessControl
  let users: Users
  /// Told of files that are of no use.
  var warn: @Sendable (String) -> Void = { Output.warn($0) }

  /// The providers of the file; without one those that development needs where nobody has to show a key, and none elsewhere.
  static func providers(of folder: AuthFolder, isGuarded: Bool) throws -> Providers {
    try folder.providers ?? (isGuarded ? .none : .open)
  }

  var stamp: FileStamp { folder.stamp }

  /// Takes both files; one that has an error leaves the other alone.
  func reload() async {
    do {
      users.use(try AccessFiles.providers(of: folder, isGuarded: access.isGuarded))
    } catch {
      warn("\(FailureText.of(error)) (the old providers stay)")
    }
    do {
      users.use(try folder.customData)
    } catch {
      warn("\(FailureText.of(error)) (custom data stays where it was)")
    }
    do {
      try await folder.applyRoles(to: access)
    } catch {
      warn("\(FailureText.of(error)) (the old roles stay)")
    }
  }
}
