import GatehouseStorage
import Glibc

/// A standard stream or another file, written through.
struct Output: Sendable {
  let descriptor: Int32
  /// By which errors name it; `-`: it is a standard stream.
  var path = "-"

  /// Where results go. A test binds both to files of its own, for the commands that it runs.
  @TaskLocal static var standard = Output(descriptor: STDOUT_FILENO)
  /// Where progress and errors go.
  @TaskLocal static var error = Output(descriptor: STDERR_FILENO)

  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Writes the text; what cannot be written is lost, as there is nobody left to tell.
  func write(_ text: String) {
    try? write(Array(text.utf8))
  }

  /// Writes all the bytes.
  func write(_ bytes: [UInt8]) throws(CommandError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written >= 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR {
        throw .file(path: path, action: .write, code: errno)
      }
    }
  }
}

extension Output {
  /// Takes the place of a private file, whole and on the disk; `draft` is its name until then. That the folder has the name is not synced.
  static func replaceFile(
    at path: String, by draft: String, with bytes: [UInt8]
  ) throws(CommandError) {
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, PrivateFiles.fileMode)
    guard descriptor >= 0 else { throw .file(path: draft, action: .write, code: errno) }
    defer { close(descriptor) }
    try Output(descriptor: descriptor, path: draft).write(bytes)
    guard fsync(descriptor) == 0, rename(draft, path) == 0 else {
      throw .file(path: path, action: .write, code: errno)
    }
  }
}
