extension Scenario {
  private static var counts: [(name: String, path: WritableKeyPath<Scenario, Int>)] {
    [
      ("nodes", \.nodes), ("clients", \.clients), ("requests", \.requests), ("crashes", \.crashes),
      ("faults", \.faults),
      ("watchers", \.watchers), ("objects", \.objects), ("padding", \.padding), ("yields", \.pointsToYield),
      ("delays", \.delays), ("loops", \.loops), ("window", \.window), ("log", \.writeAheadSize),
      ("lulls", \.lulls), ("streams", \.streams), ("latency", \.latency),
      ("versions", \.mostVersions), ("handovers", \.handovers), ("live", \.liveChanges),
      ("stalls", \.stalls), ("trims", \.trims), ("probes", \.probes), ("followed", \.followedBytes),
      ("readers", \.readers),
    ]
  }
  private static var flags: [(name: String, path: WritableKeyPath<Scenario, Bool>)] {
    [
      ("intruder", \.hasIntruder), ("audit", \.isAudited), ("schema", \.hasSchemaChanges),
      ("care", \.hasCare), ("connections", \.hasConnections), ("functions", \.hasFunctions),
      ("users", \.hasUsers),
      ("rights", \.hasAccessChanges), ("conditions", \.hasConditions), ("scopes", \.hasScopes),
      ("damage", \.isDamaged), ("triggers", \.hasTriggers), ("programs", \.hasPrograms),
      ("replica", \.hasReplica), ("durable", \.hasDurableLog),
      ("classes", \.hasClassChanges), ("values", \.hasNewValues),
    ]
  }

  /// Sets a parameter by its name on the command line.
  mutating func set(_ name: String, _ value: Int) {
    for count in Self.counts where count.name == name { self[keyPath: count.path] = value }
    if name == "changes" { logSize = value == 0 ? nil : Int64(value) }
    for flag in Self.flags where flag.name == name { self[keyPath: flag.path] = value != 0 }
  }

  /// The arguments that make the scenario of its seed this one.
  var arguments: String {
    let drawn = Scenario(seed: seed, sizes: sizes)
    let counts = Self.counts.filter { self[keyPath: $0.path] != drawn[keyPath: $0.path] }
      .map { "--\($0.name) \(self[keyPath: $0.path])" }
    let flags = Self.flags.filter { self[keyPath: $0.path] != drawn[keyPath: $0.path] }
      .map { "--\($0.name) \(self[keyPath: $0.path] ? 1 : 0)" }
    let changes = logSize == drawn.logSize ? [] : ["--changes \(logSize ?? 0)"]
    return ((sizes == .small ? ["--sizes small"] : []) + counts + flags + changes).joined(separator: " ")
  }
}
