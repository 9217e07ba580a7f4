/// The names of the apps, which other processes may make and remove.
struct AppNames: WatchedFiles {
  let apps: Apps

  var stamp: FileStamp { apps.directory.stamp }

  func reload() async {
    do { try apps.findNames() } catch { Output.warn(FailureText.of(error)) }
  }
}
