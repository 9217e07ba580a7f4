import GatehouseTestSupport
import Glibc
import Testing

/// A node, which may be started more than once.
final class ServedNode {
  let folder: Folder
  let address: String
  let port: UInt16
  private let setting: String
  private(set) var server: RunningServer?

  init(_ setting: String, port: UInt16, in folder: Folder? = nil) throws {
    self.folder = try folder ?? Folder()
    (self.setting, self.port, address) = (setting, port, "127.0.0.1:\(port)")
  }

  func start() throws {
    server = try RunningServer(
      folder, listen: address, environment: [Machine.path, "GATEHOUSE_CLUSTER=\(setting)"])
  }

  func kill() {
    server?.process.send(SIGKILL)
    server?.process.wait()
    server = nil
  }

  func stop() -> Int32? {
    defer { server = nil }
    return server?.stop()
  }

  func send(
    _ method: String, _ path: String, fields: [String: String] = [:], body: String? = nil
  ) throws -> RunningServer.Answer {
    try #require(server).send(method, path, fields: fields, body: body)
  }
}
