import Glibc

/// Room on the disk that is kept for deletions: a file that is made smaller where they find none.
///
/// To delete is to write: the pages that change go to the write-ahead log first. ``DiskSpace`` says when to lend room, and
/// when to take it back.
struct Reserve {
  /// Less than that would be of no use.
  static let least = 256 << 10

  private let directory: String
  private let path: String
  /// The bytes that are to be kept, at most an eighth of the disk. 0: there is to be no reserve.
  let goal: Int
  /// The bytes that it holds.
  private(set) var held = 0

  /// Takes the room, in a directory that nobody else uses: at most an eighth of what is free. Nil: what is there stays,
  /// and is not used.
  init(in directory: String, size: Int?) {
    self.directory = directory
    path = "\(directory)/reserve"
    let share = min(size ?? 0, Reserve.bytes(of: directory, \.f_blocks) / 8)
    goal = share < Reserve.least ? 0 : share
    guard let size else { return }
    if size == 0 { unlink(path) }
    held = Reserve.size(of: path)
    refill()
  }

  /// The bytes of the disk that are free to this process.
  var free: Int { Reserve.freeSize(of: directory) }

  /// Gives up so many bytes, or all where there are fewer; false: there are none.
  mutating func lend(_ bytes: Int) -> Bool {
    precondition(bytes >= 0, "a reserve lends bytes")
    guard goal > 0, held > 0, truncate(path, max(0, held - bytes)) == 0 else { return false }
    held = Reserve.size(of: path)
    return true
  }

  /// Takes everything back, or as much of it as the disk has free.
  mutating func takeBack() {
    precondition(goal >= 0 && held >= 0, "a reserve holds no less than nothing")
    let missing = min(goal - held, free & ~4095)
    if missing > 0 { take(held + missing) }
  }

  /// Takes room from a disk that is not full: at most an eighth of what is free.
  mutating func refill() {
    let wanted = min(goal, held + free / 8)
    if wanted > held, wanted >= Reserve.least { take(wanted) }
  }

  /// Returns the bytes that this process may still write to the directory's disk.
  static func freeSize(of directory: String) -> Int { bytes(of: directory, \.f_bavail) }

  private static func bytes(of directory: String, _ blocks: KeyPath<statvfs, UInt>) -> Int {
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else { return 0 }
    return size(blocks: status[keyPath: blocks], of: status.f_frsize)
  }

  /// The bytes of so many blocks. File systems without bounds say that they have as many as there are numbers.
  static func size(blocks: UInt, of blockSize: UInt) -> Int {
    let (bytes, isTooMuch) = blocks.multipliedReportingOverflow(by: blockSize)
    return isTooMuch ? .max : Int(clamping: bytes)
  }

  private mutating func take(_ size: Int) {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    // A file with holes would keep nothing.
    if posix_fallocate(file, 0, size) != 0 { ftruncate(file, held) }
    held = Reserve.size(of: path)
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
