import GatehouseBSON
import GatehouseCrypto
import GatehouseStorage
import Glibc

/// The size of a file and its SHA-256, found by reading it to its end.
struct HashedFile: Hashable {
  let size: Int
  /// In hexadecimal.
  let digest: String

  init(size: Int, digest: String) {
    self.size = size
    self.digest = digest
  }

  /// Reads a file, and writes what it holds into another one, where that is asked for.
  init(reading path: String, into copy: Output? = nil) throws(CommandError) {
    let file = try InputFile(path: path)
    var hash = RunningDigest(.sha256)
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    var size = 0
    while true {
      let count = try piece.withUnsafeMutableBytes { file.read(into: $0) }.get()
      if count == 0 { break }
      piece.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      try copy?.write(count == piece.count ? piece : Array(piece[..<count]))
      size += count
    }
    self.init(size: size, digest: Hexadecimal.text(of: hash.finish()))
  }

  /// Copies a file to a place where there is none yet.
  static func copy(_ path: String, to target: String, mode: UInt32) throws(CommandError) -> HashedFile {
    try write(target, mode: mode) { output throws(CommandError) in
      try HashedFile(reading: path, into: output)
    }
  }

  /// Makes a file with that mode, whatever the process' umask is; what it holds is on the disk when this returns.
  static func write<Result>(
    _ path: String, mode: UInt32, _ body: (Output) throws(CommandError) -> Result
  ) throws(CommandError) -> Result {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, PrivateFiles.fileMode)
    guard descriptor >= 0 else { throw .file(path: path, action: .write, code: errno) }
    defer { close(descriptor) }
    let result = try body(Output(descriptor: descriptor, path: path))
    guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else {
      throw .file(path: path, action: .write, code: errno)
    }
    return result
  }
}
