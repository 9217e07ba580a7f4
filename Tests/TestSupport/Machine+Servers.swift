import Glibc

extension Machine {
  /// The program `nats-server`, where `Scripts/cluster install` or a package has put it.
  public static let natsServer: String? = {
    if let path = variable("GATEHOUSE_NATS_SERVER") { return path }
    // A shim of pyenv is no program: signals would end the shell.
    let scripts = run("python3 -c 'import sysconfig; print(sysconfig.get_path(\"scripts\"))' 2>/dev/null")
    let installed = "\(scripts.output.split(separator: "\n").first ?? "")/nats-server"
    return access(installed, X_OK) == 0 ? installed : program("nats-server")
  }()

  /// Returns ports of this machine that nobody listens at. All are bound before the first one is given up, so that they differ.
  public static func freePorts(_ count: Int) -> [UInt16] {
    let sockets = (0..<count).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
    defer { for socket in sockets { close(socket) } }
    return sockets.compactMap { socket in
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
        }
      }
      return isBound ? UInt16(bigEndian: address.sin_port) : nil
    }
  }
}
