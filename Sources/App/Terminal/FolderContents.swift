import Glibc

/// The files of a folder.
enum FolderContents {
  /// Returns the names of all that is in the folder, sorted; none where there is no folder.
  static func names(in path: String) throws(CommandError) -> [String] {
    guard let folder = opendir(path) else {
      if errno == ENOENT || errno == ENOTDIR { return [] }
      throw .file(path: path, action: .read, code: errno)
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
