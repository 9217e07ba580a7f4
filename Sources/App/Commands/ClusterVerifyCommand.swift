/// `gatehouse cluster verify`.
struct ClusterVerifyCommand: Command {
  static let synopsis = Synopsis(
    "cluster verify", summary: "Compares the stores of a cluster's nodes, while they run.",
    operands: ["NODES"],
    options: [
      Synopsis.Option(
        name: Synopsis.app.name, value: "NAME",
        help: "Compare the stores of this app, not the default databases.")
    ],
    settings: .some(["adminKey"]),
    details: """
      NODES are URLs, or addresses and ports, with commas between them. An entry of the log has each make a SHA-256 of everything in its \
      store as it is there, while it goes on; the entry is only read by nodes that have the same log up to it. A line for each on \
      standard output; the exit code is 1 where they differ, or one does not answer. Where callers need a key, it takes \
      GATEHOUSE_ADMIN_KEY: for an app, one of its own administrators.
      """)

  private let clients: [NodeClient]

  init(_ arguments: Arguments, settings: Settings) throws {
    clients = arguments.operands[0].split(separator: ",").map {
      NodeClient(String($0), key: settings.adminKey, app: arguments.app)
    }
    guard !clients.isEmpty else {
      throw CommandError.invalidValue(
        name: "NODES", text: arguments.operands[0], expected: "addresses of nodes")
    }
  }

  func run() async throws {
    let comparison = try await clients[0].compare()
    var found: Set<NodeDigest> = []
    for client in clients {
      let state = try await client.state(with: comparison)
      guard let digest = state.digest else { throw ClusterFailure.noDigest(url: client.url) }
      found.insert(digest)
      Output.standard.write("\(state.line), at version \(digest.version): \(digest.sha256 ?? "")\n")
    }
    guard found.count == 1 else { throw ClusterFailure.storesDiffer }
    Output.error.write("the stores are the same\n")
  }
}
