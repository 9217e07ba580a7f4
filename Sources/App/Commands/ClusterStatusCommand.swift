import GatehouseServer

/// `gatehouse cluster status`.
struct ClusterStatusCommand: Command {
  static let synopsis = Synopsis(
    "cluster status", summary: "Shows the state of nodes of a cluster.", operands: ["URL"],
    optionalOperands: 1,
    settings: .some(["listen", "adminKey"]),
    details: """
      It asks the node at URL, or at the first address of listen, and the one that this says leads, and shows their parts in apps, each of which has a leader of its own. Where callers need a key, it takes \
      GATEHOUSE_ADMIN_KEY. It fails where one of them does not answer, or no node leads.
      """)

  private let client: NodeClient

  init(_ arguments: Arguments, settings: Settings) throws {
    client = NodeClient(try settings.node(arguments), key: settings.adminKey)
  }

  func run() async throws {
    let state = try await client.state()
    Output.standard.write(state.lines + "\n")
    guard let leader = state.leader else { throw ClusterFailure.noLeader }
    guard leader != state.node else { return }
    let scheme = client.url.hasPrefix("https://") ? "https" : "http"
    let other = try await NodeClient("\(scheme)://\(leader)", key: client.key).state()
    Output.standard.write(other.lines + "\n")
  }
}

extension Settings {
  /// The node that a command is about: the one that it names, or the one that these settings are of.
  func node(_ arguments: Arguments) throws(CommandError) -> String {
    if let operand = arguments.operands.first { return operand }
    guard let address = listen.lazy.compactMap(\.local).first(where: { !$0.description.hasPrefix("unix:") })
    else {
      throw .invalidValue(name: "listen", text: "none", expected: "an address without TLS, or give URL")
    }
    return "\(address)"
  }
}
