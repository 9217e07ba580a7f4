import GatehouseModel
import GatehouseStorage

/// The gateways of an app's groups on one event loop, which belong to it.
final class GroupGateways {
  /// Whether what is asked is asked of one group, which the path names, and not of all of them.
  @TaskLocal static var isOfOne = false

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
        at: GroupPlace(groups: groups, name: group.group.name))
      gateways.append((group.group.name, gateway))
    }
    self.gateways = gateways
  }

  /// The gateways by their groups, without that of the main one.
  var named: [(String, Gateway)] { gateways.map { ($0.name, $0.gateway) } }

  var all: [Gateway] { gateways.map(\.gateway) }

  /// Returns the gateway of a group; nil: there is none of that name, or it is that of the main one.
  subscript(name: String) -> Gateway? { gateways.first { $0.name == name }?.gateway }

  /// Returns the classes of all groups with those of the main one, and a number that changes with them.
  func schema(with main: (schema: Schema, generation: Int64)) -> (schema: Schema, generation: Int64) {
    var (types, generation) = (main.schema.objectTypes, main.generation)
    for (name, gateway) in gateways {
      let state = gateway.context.data.reader.schemaState
      types += state.0.objectTypes.filter { groups.group(of: $0.name) == name }
      generation += state.1
    }
    return (Schema(types), generation)
  }
}

extension GatewayGroup {
  /// Returns the options of the group's gateway, beside one of those.
  fileprivate func options(beside main: GatewayOptions) -> GatewayOptions {
    var options = main
    options.groups = []
    (options.broker, options.recorder, options.metrics) = (broker, recorder, metrics)
    (options.maintenance, options.cluster) = (maintenance, cluster)
    (options.site, options.triggers, options.apps) = (nil, triggers, nil)
    return options
  }
}
