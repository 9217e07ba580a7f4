import GatehouseBSON
import Glibc

/// The files of an app as App Services exports it, by their paths from its folder on.
struct AppFolder {
  /// The most bytes of all files together.
  static let limit = 256 << 20

  let path: String
  /// The beginnings of the paths that are read.
  private let prefixes: [String]
  private(set) var files: [String: [UInt8]] = [:]
  /// Whether there is a folder of packages, which is not read.
  private(set) var hasPackages = false

  /// Reads a folder with all that is below it, but for what begins with a period and the packages of functions. Throws
  /// ``CommandError``.
  init(_ path: String, only prefixes: [String] = [""]) throws {
    (self.path, self.prefixes) = (path, prefixes)
    guard FolderKind(path) == .folder else {
      throw CommandError.file(path: path, action: .read, code: ENOTDIR)
    }
    var size = 0
    try read("", &size)
  }

  private mutating func read(_ folder: String, _ size: inout Int) throws {
    for name in try FolderContents.names(in: "\(path)/\(folder)") {
      guard !name.hasPrefix(".") else { continue }
      if name == "node_modules" {
        hasPackages = true
        continue
      }
      let file = folder.isEmpty ? name : "\(folder)/\(name)"
      guard prefixes.contains(where: { file.hasPrefix($0) || $0.hasPrefix("\(file)/") }) else { continue }
      switch FolderKind("\(path)/\(file)") {
      case .folder: try read(file, &size)
      case .file:
        let bytes = try InputFile.contents(of: "\(path)/\(file)")
        size += bytes.count
        guard size <= AppFolder.limit else { throw CommandError.file(path: file, action: .read, code: EFBIG) }
        files[file] = bytes
      case .other: break
      }
    }
  }

  /// The names of the folders in a folder, sorted.
  func folders(in folder: String) -> [String] {
    let prefix = "\(folder)/"
    let names = files.keys.compactMap { path -> String? in
      guard path.hasPrefix(prefix) else { return nil }
      let rest = path.dropFirst(prefix.count).split(separator: "/")
      return rest.count > 1 ? String(rest[0]) : nil
    }
    return Set(names).sorted()
  }

  /// The paths of the files below a folder, sorted.
  func paths(below folder: String) -> [String] { files.keys.filter { $0.hasPrefix("\(folder)/") }.sorted() }

  /// Returns the JSON of a file; nil where there is none. Throws ``CommandError``.
  func json(_ file: String) throws(CommandError) -> Value? {
    guard let bytes = files[file] else { return nil }
    return try JSONFile.value(of: bytes, at: file)
  }

  /// The line, from 1, of a place in a file of JSON.
  func line(of place: [JSONPlace.Step], in file: String) -> Int? {
    files[file].flatMap { JSONPlace.line(of: place, in: $0) }
  }

  private enum FolderKind {
    case folder, file, other

    /// Links are not followed: they may lead anywhere.
    init(_ path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else {
        self = .other
        return
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: self = .folder
      case S_IFREG: self = .file
      default: self = .other
      }
    }
  }
}
