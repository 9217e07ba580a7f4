internal import CGatehouseLinux
internal import Glibc

/// The sockets and the channel that a service manager gives a service by its environment (sd_listen_fds(3),
/// sd_notify(3)), without a library.
public struct Activation: Sendable {
  /// A listening socket that the manager has opened.
  public struct Socket: Hashable, Sendable {
    public let descriptor: Int32
    /// The `FileDescriptorName=` of its unit.
    public let name: String

    public init(descriptor: Int32, name: String) {
      self.descriptor = descriptor
      self.name = name
    }

    /// Whether it is for TLS: its name begins with `tls`.
    public var isSecure: Bool { name.hasPrefix("tls") }

    /// Where it listens; nil where it is no socket.
    public var address: SocketAddress? { ListeningSocket.boundAddress(descriptor) }
  }

  /// In the order of the units.
  public let sockets: [Socket]
  private let notificationPath: String?

  /// Takes what the environment of this process says, and what it must not hand on to its children.
  public static func fromEnvironment() -> Activation {
    let names = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET"]
    var environment: [String: String] = [:]
    for name in names { environment[name] = getenv(name).map { String(cString: $0) } }
    let activation = Activation(environment: environment, processID: getpid())
    for socket in activation.sockets { _ = fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC) }
    return activation
  }

  /// Reads an environment as that process would.
  public init(environment: [String: String], processID: Int32) {
    notificationPath = environment["NOTIFY_SOCKET"]
    guard environment["LISTEN_PID"].flatMap(Int32.init) == processID,
      let count = environment["LISTEN_FDS"].flatMap(Int32.init), count > 0
    else {
      sockets = []
      return
    }
    let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
    // SD_LISTEN_FDS_START
    sockets = (0..<count).map { index in
      Socket(descriptor: 3 + index, name: Int(index) < names.count ? String(names[Int(index)]) : "")
    }
  }

  /// Tells the manager, as in `READY=1`; does nothing when there is none.
  public func notify(_ state: String) {
    guard let path = notificationPath, path.utf8.count < 108 else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    SocketAddress.unix(path).withSystemAddress { address, length in
      // A leading @ stands for the zero byte of the abstract namespace, whose names have no end mark.
      let length = path.hasPrefix("@") ? length - 1 : length
      _ = state.withCString { text in
        sendto(descriptor, text, state.utf8.count, Int32(MSG_NOSIGNAL), address, length)
      }
    }
  }
}
