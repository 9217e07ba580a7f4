import Glibc

/// A ZIP file that `unzip` has unpacked into a folder, which is removed with it.
final class ZIPArchive {
  private let folder: String
  /// The folder of the app: that of the archive, or the only one in it.
  let root: String

  /// Throws ``CommandError``.
  init(_ path: String) throws(CommandError) {
    var template = Array("/tmp/gatehouse-app-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw .file(path: "/tmp", action: .write, code: errno) }
    folder = String(cString: made)
    guard access(path, R_OK) == 0 else {
      let code = errno
      rmdir(folder)
      throw .file(path: path, action: .read, code: code)
    }
    let status = ZIPArchive.run(["unzip", "-qq", path, "-d", folder])
    let names = (try? FolderContents.names(in: folder)) ?? []
    root = names.count == 1 ? "\(folder)/\(names[0])" : folder
    guard status == 0 else {
      if status == 127 { throw .missingProgram("unzip") }
      throw .file(path: path, action: .read, code: EINVAL)
    }
  }

  deinit { _ = ZIPArchive.run(["rm", "-r", "--", folder]) }

  /// Runs a program of the path, without a shell, and returns its exit code.
  private static func run(_ words: [String]) -> Int32 {
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    guard posix_spawnp(&process, words[0], nil, nil, &arguments, environ) == 0 else { return 127 }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
  }
}
