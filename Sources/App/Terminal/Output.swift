import Glibc

/// A standard stream, written through.
struct Output: Sendable {
  let descriptor: Int32

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
        throw .file(path: "-", action: .write, code: errno)
      }
    }
  }
}
