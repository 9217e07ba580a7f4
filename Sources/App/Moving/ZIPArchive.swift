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
    let status = SystemProgram.run(["unzip", "-qq", path, "-d", folder])
    let names = (try? FolderContents.names(in: folder)) ?? []
    root = names.count == 1 ? "\(folder)/\(names[0])" : folder
    guard status == 0 else {
      if status == SystemProgram.missing { throw .missingProgram("unzip") }
      throw .file(path: path, action: .read, code: EINVAL)
    }
  }

  deinit { _ = SystemProgram.run(["rm", "-r", "--", folder]) }
}
