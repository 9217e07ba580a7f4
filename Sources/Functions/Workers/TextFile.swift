internal import Glibc

/// Reads small files as a whole.
enum TextFile {
  /// Returns the bytes of a file; nil if it cannot be read.
  static func bytes(at path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while true {
      let start = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: 16_384))
      let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + start }, 16_384) }
      bytes.removeSubrange((start + max(count, 0))...)
      if count < 0 { return nil }
      if count == 0 { return bytes }
    }
  }

  static func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }

  /// Whether the path leads to a regular file with its run bit.
  static func isExecutable(_ path: String) -> Bool {
    var information = stat()
    guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return false }
    return access(path, X_OK) == 0
  }

  /// Returns the names of a folder's files, sorted; empty where there is no folder.
  static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  static func isFolder(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
  }
}
