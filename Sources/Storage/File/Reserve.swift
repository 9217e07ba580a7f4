import Glibc

/// Room on the disk that is kept for deletions: a file that is given up where they find none.
///
/// To delete is to write: the pages that change go to the write-ahead log first. While the room is given up only deletions
/// are performed, so that nothing else takes it; it is taken back as soon as the disk, or the database file, has as much.
struct Reserve {
  /// Less than that would be of no use.
  static let least = 256 << 10

  private let directory: String
  private let path: String
  /// In bytes; 0: there is to be none.
  private let size: Int
  /// Whether it has been given up.
  private(set) var isSpent = false
  /// The bytes that it holds.
  private(set) var held = 0

  /// Takes the room, in a directory that nobody else uses: at most an eighth of what is free. Nil: what is there stays,
  /// and is not used.
  init(in directory: String, size: Int?) {
    self.directory = directory
    path = "\(directory)/reserve"
    self.size = size ?? 0
    guard let size else { return }
    held = Reserve.size(of: path)
    if size == 0 {
      unlink(path)
      held = 0
    } else if held < size {
      take(min(size, held + free / 8))
    }
  }

  /// Gives the room up. False: there is none.
  mutating func spend() -> Bool {
    guard held > 0, !isSpent, truncate(path, 0) == 0 else { return false }
    (isSpent, held) = (true, 0)
    return true
  }

  /// Takes the room back where the disk has twice as much. Where it does not, but the database file has as many bytes in
  /// pages that are free, others may write again, and half of what the disk has left is kept.
  mutating func restore(freeBytesInFile: Int) {
    guard isSpent else { return }
    if free >= 2 * size {
      take(size)
    } else if freeBytesInFile >= size, free / 2 >= Reserve.least {
      take(free / 2)
    }
    isSpent = held == 0
  }

  /// The bytes of the disk that are free to this process.
  private var free: Int { Reserve.freeSize(of: directory) }

  /// Returns the bytes that this process may still write to the directory's disk.
  static func freeSize(of directory: String) -> Int {
    var status = statvfs()
    return statvfs(directory, &status) == 0 ? Int(status.f_bavail) * Int(status.f_frsize) : 0
  }

  private mutating func take(_ size: Int) {
    guard size >= Reserve.least else { return }
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    // A file with holes would keep nothing.
    if posix_fallocate(file, 0, size) != 0 { ftruncate(file, 0) }
    held = Reserve.size(of: path)
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
