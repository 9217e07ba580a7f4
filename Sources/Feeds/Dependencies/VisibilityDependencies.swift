import GatehouseModel
import GatehouseQuery

/// A visibility in the terms of a schema, and which changes of objects decide whether others may be seen.
struct VisibilityDependencies {
  let visibility: Visibility
  /// The ways from objects to those that their rules look at, by the classes where these end.
  private var linkPaths: [String: [LinkPath]] = [:]
  /// By class: the classes at which its rule looks through links.
  private var ruleTypes: [String: Set<String>] = [:]

  init(_ visibility: Visibility, in schema: Schema) throws(SubscriptionError) {
    self.visibility = visibility
    for (name, condition) in visibility.conditions {
      guard let type = schema[name] else { continue }
      for linkPath in try condition.linkPaths(from: type, in: schema) {
        linkPaths[linkPath.end, default: []].append(linkPath)
        ruleTypes[name, default: []].insert(linkPath.end)
      }
    }
  }

  /// The ways from objects to one of the class at which their rules look.
  func linkPaths(to objectType: String) -> [LinkPath] { linkPaths[objectType] ?? [] }

  /// Whether some rule looks at objects of the class through links, so that they matter to who may not see them.
  func isLookedAt(_ objectType: String) -> Bool { linkPaths[objectType] != nil }

  /// Returns the classes whose changes may be changes of what is seen of objects of these: they link to them, or rules look
  /// at them.
  func types(deciding shown: Set<String>, in layouts: ClassLayouts) -> Set<String> {
    let linked = visibility.restricted.filter { name in
      layouts.links(to: name).contains { shown.contains($0.owner) }
    }
    return shown.union(linked).reduce(into: shown.union(linked)) { $0.formUnion(ruleTypes[$1] ?? []) }
  }
}
