import GatehouseModel
import GatehouseStorage

/// The gateways of an app's groups on one event loop, which belong to it.
final class GroupGateways {
  let groups: ClassGroups
  private let gateways: [(name: String, gateway: Gateway)]
  /// The callers, and what they may in the classes of all groups.
  var callers: Callers

  /// Nil: there are no groups.
  init?(_ options: GatewayOptions, within main: Context) throws(StorageError) {
    guard !options.groups.isEmpty, let groups = main.data.place?.groups else { return nil }
    self.groups = groups
    callers = Callers(main.access, main.users.users)
    var options = options
    // Each loop's gateways share what is one for all loops.
    (options.access, options.users) = (main.access, main.users.users)
    var gateways: [(String, Gateway)] = []
    for group in options.groups {
      let gateway = try Gateway(
        group.store, group.options(beside: options), within: main,
        at: GroupPlace(groups: groups, name: group.group.name, shard: group.shard))
      gateways.append((group.name, gateway))
    }
    self.gateways = gateways
    precondition(
      Set(gateways.map(\.0)).count == gateways.count, "each store of a group has a name of its own")
    for (group, stores) in Dictionary(grouping: options.groups, by: \.group) {
      precondition(
        stores.map(\.shard) == (group.shards.map { (0..<$0).map(Optional.some) } ?? [nil]),
        "a group has the stores of all of its shards, in their order")
    }
  }

  /// The gateways of a group's shards, in their order; empty where it has none.
  func shards(of group: String) -> [Gateway] {
    all.filter { $0.context.data.place?.name == group && $0.context.data.place?.shard != nil }
  }

  /// The gateways by the names of their groups, of shards with their numbers, without that of the main one.
  var named: [(String, Gateway)] { gateways.map { ($0.name, $0.gateway) } }

  var all: [Gateway] { gateways.map(\.gateway) }

  /// Returns the gateway of a group; nil: there is none of that name, or it is that of the main one.
  subscript(name: String) -> Gateway? { gateways.first { $0.name == name }?.gateway }

  /// Returns the classes of all groups with those of the main one, and a number that changes with them.
  func schema(with main: (schema: Schema, generation: Int64)) -> (schema: Schema, generation: Int64) {
    // An app's own store may have had a class before a group did: nobody is shown that one.
    var types = main.schema.objectTypes.filter { groups.group(of: $0.name) == ClassGroups.main }
    var generation = main.generation
    for (index, (_, gateway)) in gateways.enumerated() {
      let state = gateway.context.data.reader.schemaState
      generation += state.1
      let name = gateway.context.data.place?.name
      // The last shard comes to a change after all others.
      if index + 1 < gateways.count, gateways[index + 1].gateway.context.data.place?.name == name { continue }
      types += state.0.objectTypes.filter { groups.group(of: $0.name) == name }
    }
    precondition(Set(types.map(\.name)).count == types.count, "a class is shown as one group has it")
    return (Schema(types), generation)
  }
}

extension GatewayGroup {
  /// The name below `/v1/groups/`.
  fileprivate var name: String { group.name + (shard.map { "/\($0)" } ?? "") }

  /// Returns the options of the group's gateway, beside one of those.
  fileprivate func options(beside main: GatewayOptions) -> GatewayOptions {
    var options = main
    options.groups = []
    (options.broker, options.recorder, options.metrics) = (broker, recorder, metrics)
    (options.maintenance, options.cluster) = (maintenance, cluster)
    (options.site, options.triggers, options.apps) = (nil, triggers, nil)
    // A class that is made by what is sent to it would be made in one shard.
    if shard != nil { options.infersClasses = false }
    return options
  }
}
