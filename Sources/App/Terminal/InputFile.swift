import Glibc

/// A file that is read from its beginning to its end; `-` is standard input.
struct InputFile: ~Copyable {
  let path: String
  /// In bytes; nil where that cannot be known, as for a pipe.
  let size: Int?
  private let descriptor: Int32
  private let isOwned: Bool

  init(path: String) throws(CommandError) {
    self.path = path
    isOwned = path != "-"
    descriptor = isOwned ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO
    guard descriptor >= 0 else { throw .file(path: path, action: .read, code: errno) }
    var status = stat()
    let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    size = isFile ? status.st_size : nil
  }

  deinit {
    if isOwned { close(descriptor) }
  }

  /// Appends at most `limit` more bytes; false: there are no more.
  func read(into bytes: inout [UInt8], limit: Int) throws(CommandError) -> Bool {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: limit))
    var count: Int
    repeat {
      count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + start, limit) }
    } while count < 0 && errno == EINTR
    bytes.removeLast(limit - max(count, 0))
    guard count >= 0 else { throw .file(path: path, action: .read, code: errno) }
    return count > 0
  }

  /// The whole content of a file.
  static func contents(of path: String) throws(CommandError) -> [UInt8] {
    let file = try InputFile(path: path)
    var bytes: [UInt8] = []
    while try file.read(into: &bytes, limit: 1 << 16) {}
    return bytes
  }
}
