import Glibc

/// A file that is read from its beginning to its end, or what `gzip` unpacks of it; `-` is standard input.
struct InputFile: ~Copyable {
  let path: String
  /// In bytes; nil where that cannot be known, as for a pipe.
  let size: Int?
  private let descriptor: Int32
  private let isOwned: Bool
  /// The program that unpacks it; nil: nothing does.
  private let unpacker: pid_t?

  /// Reads what `gzip` unpacks of a file. Throws ``CommandError``.
  init(unpacking path: String) throws(CommandError) {
    let (descriptor, unpacker) = try InputFile.unpack(path)
    self.path = path
    (isOwned, size) = (true, nil)
    (self.descriptor, self.unpacker) = (descriptor, unpacker)
  }

  /// Starts `gzip`, and returns the end of a pipe that gives what it unpacks.
  private static func unpack(_ path: String) throws(CommandError) -> (Int32, pid_t) {
    guard access(path, R_OK) == 0 else { throw .file(path: path, action: .read, code: errno) }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw .file(path: path, action: .read, code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process = SystemProgram.start(["gzip", "-dc", "--", path], output: ends[1])
    close(ends[1])
    guard let process else {
      close(ends[0])
      throw .missingProgram("gzip")
    }
    return (ends[0], process)
  }

  init(path: String) throws(CommandError) {
    self.path = path
    unpacker = nil
    isOwned = path != "-"
    descriptor = isOwned ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO
    guard descriptor >= 0 else { throw .file(path: path, action: .read, code: errno) }
    var status = stat()
    let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    size = isFile ? status.st_size : nil
  }

  deinit {
    if isOwned { close(descriptor) }
    if let unpacker { _ = SystemProgram.wait(for: unpacker) }
  }

  /// Reads at most as many bytes as there is room for; 0: there are no more.
  ///
  /// A result, since the closures that lend an array's storage do not throw typed errors.
  func read(into room: UnsafeMutableRawBufferPointer) -> Result<Int, CommandError> {
    while true {
      let count = Glibc.read(descriptor, room.baseAddress, room.count)
      if count == 0, let unpacker, SystemProgram.wait(for: unpacker) != 0 {
        return .failure(.file(path: path, action: .read, code: EBADMSG))
      }
      if count >= 0 { return .success(count) }
      guard errno == EINTR else { return .failure(.file(path: path, action: .read, code: errno)) }
    }
  }

  /// Throws ``CommandError`` where there is no file.
  static func requirePresence(of path: String) throws(CommandError) {
    guard access(path, F_OK) == 0 else { throw .file(path: path, action: .read, code: errno) }
  }

  /// The whole content of a file.
  static func contents(of path: String) throws(CommandError) -> [UInt8] {
    let file = try InputFile(path: path)
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try piece.withUnsafeMutableBytes { file.read(into: $0) }.get()
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
  }
}
