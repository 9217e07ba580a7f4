import CGatehouseSimulation
import GatehouseSeeded

/// The parameters of a simulation, drawn from its seed. What `--minimize` makes smaller are the counts.
struct Scenario: CustomStringConvertible {
  let seed: UInt64
  /// The sizes that the parameters were drawn for.
  var sizes = Sizes.full
  /// The gateways, which are nodes of one cluster; 1: there is one, without a cluster.
  var nodes = 1
  var clients: Int
  var requests: Int
  var crashes: Int
  /// Phases in which the disk fails, now and then, in one of its ways.
  var faults: Int
  var watchers: Int
  /// Whether a caller who may not see everything tries to.
  var hasIntruder: Bool
  /// Objects that requests are about.
  var objects: Int
  /// Bytes of text in an object.
  var padding: Int
  /// Points between two yields of a thread; 0: it yields only where it waits.
  var pointsToYield: Int
  /// How often, of a thousand, a thread is passed over for a while.
  var delays: Int
  var loops: Int
  /// Milliseconds within which answered writes become durable; 0: before they are answered.
  var window: Int
  var writeAheadSize: Int
  var isAudited: Bool
  var hasSchemaChanges: Bool
  /// Whether the store is checked, copied and written anew meanwhile.
  var hasCare: Bool
  /// The bytes of changes that are kept; nil: all are.
  var logSize: Int64?
  /// Times in which nobody makes requests, until a crash comes.
  var lulls: Int
  /// Streams with several subscriptions.
  var streams: Int
  /// How often, of a million, a call of the disk takes long.
  var latency: Int
  /// Whether requests are bytes on connections, which are cut, or enter at the handler.
  var hasConnections: Bool
  /// Whether functions of the program write.
  var hasFunctions: Bool
  /// Whether somebody registers, logs in and out, and is deleted.
  var hasUsers: Bool
  /// Whether rights and keys change.
  var hasAccessChanges: Bool
  /// Whether writes depend on the versions of objects.
  var hasConditions: Bool
  /// Whether reads are recorded in scopes.
  var hasScopes: Bool
  /// Whether bits of the file are flipped when all has ended.
  var isDamaged: Bool
  /// Whether triggers call a function.
  var hasTriggers: Bool
  /// Whether commands use the directory where a crash has ended the server.
  var hasPrograms: Bool
  /// Whether transactions are in a log, which another store follows, and whether what that has is there for good.
  var hasReplica: Bool
  var hasDurableLog: Bool
  /// Whether classes come, change and go, while clients are at work.
  var hasClassChanges: Bool
  /// How often, of a thousand, whoever has committed is held up before anybody is told.
  var handovers: Int
  /// Changes that streams read in one go at the end of the log.
  var liveChanges: Int
  /// Times in which an event loop does nothing.
  var stalls: Int
  /// Times in which the log of several nodes loses its oldest entries.
  var trims: Int
  /// Bytes of the last commits that streams need not read from the disk.
  var followedBytes: Int
  /// Times in which the node that leads loses the log, and is asked for what there is once another one leads.
  var probes: Int
  /// Clients that read all objects again and again, so that pages come from the cache.
  var readers: Int
  /// Whether clients write values of the properties that the class of their objects gains.
  var hasNewValues: Bool
  /// Versions that the log may have, beyond which the run counts as failed; 0: any number. For trying out what happens then.
  var mostVersions = 0

  init(seed: UInt64) {
    self.seed = seed
    var generator = SeededGenerator(seed: seed &* 0x2545_F491_4F6C_DD1D &+ 1)
    func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &generator)] }
    clients = pick([1, 2, 3, 4, 6])
    requests = pick([10, 20, 30, 40])
    crashes = pick([0, 1, 1, 2, 3])
    faults = pick([0, 0, 1, 2, 4])
    watchers = pick([0, 1, 2, 3])
    hasIntruder = pick([true, false])
    objects = pick([2, 4, 8, 16])
    padding = pick([0, 0, 300, 3_000])
    pointsToYield = pick([0, 400, 100, 30, 10])
    delays = pick([0, 0, 20, 100])
    loops = pick([1, 1, 2])
    window = pick([0, 0, 0, 20, 200])
    writeAheadSize = pick([32 << 10, 64 << 10, 256 << 10, 64 << 20])
    isAudited = pick([true, false, false])
    hasCare = pick([true, false])
    hasSchemaChanges = pick([true, false, false])
    logSize = pick([nil, nil, nil, 20_000, 200_000])
    lulls = pick([0, 0, 1, 2])
    streams = pick([0, 0, 1, 2])
    latency = pick([0, 0, 200, 5_000])
    hasConnections = pick([true, false])
    hasFunctions = pick([true, false])
    hasUsers = pick([true, false, false])
    hasAccessChanges = pick([true, false])
    hasConditions = pick([true, false])
    hasScopes = isAudited && pick([true, false])
    isDamaged = pick([true, false, false, false])
    hasTriggers = pick([true, false, false])
    hasPrograms = pick([true, false, false])
    hasReplica = pick([true, false, false, false])
    hasDurableLog = hasReplica && pick([true, false])
    hasClassChanges = pick([true, false, false])
    handovers = pick([0, 0, 100, 500])
    liveChanges = pick([1_000, 1_000, 3, 1])
    stalls = pick([0, 0, 2, 6])
    trims = pick([0, 0, 2, 6])
    followedBytes = pick([8 << 20, 2_000, 0, 0])
    probes = pick([0, 0, 1, 3])
    readers = pick([0, 0, 1, 2])
    hasNewValues = pick([true, true, false])
  }

  /// Leaves out what only one gateway alone is tried with, where there are several.
  mutating func fitToNodes() {
    guard nodes > 1 else {
      (trims, probes) = (0, 0)
      return
    }
    (window, logSize) = (0, nil)
    (hasPrograms, hasReplica, hasDurableLog, isDamaged) = (false, false, false, false)
    (hasScopes, hasCare, hasClassChanges) = (false, false, false)
  }

  /// A generator for one of the world's parts: what another part takes from the seed does not change what this one gets.
  func generator(_ part: UInt64) -> SeededGenerator {
    SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ part &* 0xD1B5_4A32_D192_ED03)
  }

  var description: String {
    "seed \(seed): \(nodes > 1 ? "\(nodes) nodes, " : "")\(clients) clients of \(requests) requests on \(objects) objects, \(crashes) crashes, \(faults) faults, "
      + "\(watchers) watchers\(hasIntruder ? ", an intruder" : ""), \(loops) loops, yields \(pointsToYield)/\(delays), "
      + "padding \(padding), window \(window), log \(writeAheadSize)\(isAudited ? ", audited" : "")"
      + "\(hasSchemaChanges ? ", schema changes" : "")\(hasCare ? ", care" : "")\(logSize.map { ", at most \($0) bytes of changes" } ?? "")"
      + more
  }

  private var more: String {
    let changes = liveChanges < 1_000 ? liveChanges : 0
    let counts = [
      ("lulls", lulls), ("streams", streams), ("latency", latency), ("handovers", handovers),
      ("stalls", stalls), ("trims", trims), ("probes", probes),
      ("readers", readers),
      ("bytes followed", followedBytes < 8 << 20 ? followedBytes + 1 : 0),
      ("changes at a time", changes),
    ].filter { $0.1 > 0 }.map { ", \($0.1) \($0.0)" }
    let flags = [
      ("connections", hasConnections), ("functions", hasFunctions), ("users", hasUsers),
      ("rights change", hasAccessChanges), ("conditions", hasConditions), ("scopes", hasScopes),
      ("damage", isDamaged), ("triggers", hasTriggers), ("programs", hasPrograms),
      ("replica", hasReplica), ("durable log", hasDurableLog), ("classes change", hasClassChanges),
      ("new values", hasNewValues),
    ].filter(\.1).map { ", \($0.0)" }
    return (counts + flags).joined()
  }

  /// Smaller scenarios of the same seed, the smallest first.
  var smaller: [Scenario] {
    var all: [Scenario] = []
    func offer(_ change: (inout Scenario) -> Void) {
      var other = self
      change(&other)
      if other.description != description { all.append(other) }
    }
    for path in [
      \Scenario.faults, \.streams, \.watchers, \.crashes, \.lulls, \.stalls, \.trims, \.probes, \.readers,
    ] {
      offer { $0[keyPath: path] = 0 }
      offer { $0[keyPath: path] = max(0, $0[keyPath: path] - 1) }
    }
    for path in [
      \Scenario.hasIntruder, \.hasUsers, \.hasScopes, \.hasAccessChanges, \.isDamaged, \.hasFunctions,
      \.hasConditions,
      \.hasConnections, \.hasTriggers, \.hasPrograms,
      \.hasDurableLog, \.hasReplica, \.hasClassChanges, \.hasNewValues,
    ] {
      offer { $0[keyPath: path] = false }
    }
    offer { $0.latency = 0 }
    offer { $0.handovers = 0 }
    offer { $0.liveChanges = 1_000 }
    offer { $0.followedBytes = 8 << 20 }
    offer { $0.isAudited = false }
    offer { $0.hasCare = false }
    offer { $0.hasSchemaChanges = false }
    offer { $0.logSize = nil }
    offer { $0.window = 0 }
    offer { $0.loops = 1 }
    offer { $0.padding = 0 }
    offer { $0.delays = 0 }
    offer { $0.pointsToYield = 0 }
    offer { $0.clients = max(1, $0.clients / 2) }
    offer { $0.clients = max(1, $0.clients - 1) }
    offer { $0.requests = max(1, $0.requests / 2) }
    offer { $0.requests = max(1, $0.requests - 1) }
    offer { $0.objects = max(1, $0.objects / 2) }
    return all
  }
}
