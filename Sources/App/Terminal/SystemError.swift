import Glibc

/// The system's error numbers.
enum SystemError {
  /// Returns the system's text for an error number, such as `No such file or directory`.
  static func text(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    // Unlike `strerror`, whose text all threads share.
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
