import Glibc

/// The name of this machine.
enum HostName {
  /// `localhost` where it has none.
  static var current: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
    let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return name.isEmpty ? "localhost" : name
  }
}
