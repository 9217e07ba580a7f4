import GatehouseStorage
import Glibc

/// `gatehouse cluster snapshot`.
struct ClusterSnapshotCommand: Command {
  static let synopsis = Synopsis(
    "cluster snapshot", summary: "Makes a node's store a copy of another node's.", operands: ["URL"],
    settings: .some(["data", "adminKey"]),
    details: """
      For a node that has stopped because its file or an entry of the log is damaged: the server that is started on the data \
      directory then goes on behind the copy. It takes the place of the store that is there, which has to be one of a cluster's, and \
      nobody may be serving it. Files beside the store stay. Where callers need a key, it takes \
      GATEHOUSE_ADMIN_KEY: for an app, one of its own administrators.
      """)

  private let directory: String
  private let client: NodeClient

  init(_ arguments: Arguments, settings: Settings) {
    directory = settings.data
    client = NodeClient(arguments.operands[0], key: settings.adminKey, app: arguments.app)
  }

  func run() async throws {
    if access("\(directory)/gatehouse.db", F_OK) == 0 { try requireMember() }
    try await StoreCopy.fetch(
      from: client.resources, key: client.key.isEmpty ? nil : client.key, into: directory)
    let copy = try StoreSnapshot(directory: directory)
    Output.error.write("a copy of version \(try copy.version())\n")
  }

  /// A store that cannot be read is what a copy is for.
  private func requireMember() throws {
    guard let snapshot = try? StoreSnapshot(directory: directory) else { return }
    guard try snapshot.replicationPoint() != nil else { throw ClusterFailure.noMember(directory: directory) }
  }
}
