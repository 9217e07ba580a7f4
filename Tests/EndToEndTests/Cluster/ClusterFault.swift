import GatehouseTestSupport

/// Something that goes wrong with a node, with a log server, or between them.
enum ClusterFault: String, CaseIterable {
  case killNode, stopNode, terminateNode, killLeader, killAllNodes
  case killServer, stopServer, killTwoServers
  /// A node that reaches no log server, the node that leads, and a log server that no node reaches.
  case cutNode, cutLeader, cutServer
  /// The node that leads, which no other node reaches.
  case cutEntrance
  /// A log server that no other one reaches, two of them that do not reach each other, and one that an operator wants to remove meanwhile.
  case partServer, partTwoServers, removePeer
  /// A log server that an operator removes, and that comes back. It is taken back after five minutes: it happens once.
  case removeServer
  /// The disk of a node, or of a log server, has no room for some time.
  case fillNode, fillServer
  /// A node, or all log servers, have lost everything.
  case wipeNode, loseLog
  /// Bytes of a log server's file are others, or are gone.
  case damageServer
  /// A node's clock is set an hour ahead, or back, and right again.
  case shiftClock
  /// A node that runs another release is ended, and goes on with this one.
  case upgradeNode

  /// The program of the release that nodes begin with; nil: this one.
  static let previousRelease = Machine.variable("GATEHOUSE_PREVIOUS")

  /// How many the test has happen; `Scripts/cluster-faults` sets it.
  static let count = Machine.variable("GATEHOUSE_FAULTS").flatMap { Int($0) } ?? briefly.count
  /// The short form leaves out the ones that take long.
  private static let briefly: [ClusterFault] = [
    .killNode, .stopNode, .terminateNode, .killLeader, .killServer, .stopServer, .killAllNodes, .cutLeader,
    .cutServer, .partServer, .wipeNode, .damageServer,
  ]

  /// Returns the ones that can happen here, in an order of chance.
  ///
  /// - Parameter isFirst: Whether none has happened.
  static func shuffled(withDisks: Bool, isFirst: Bool) -> [ClusterFault] {
    let all = count > briefly.count ? allCases : briefly
    return all.filter { fault in
      switch fault {
      case .fillNode, .fillServer: withDisks
      case .removeServer: isFirst
      case .shiftClock: ShiftedClock.library != nil
      case .upgradeNode: previousRelease != nil
      default: true
      }
    }.shuffled()
  }
}
