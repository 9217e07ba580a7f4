import GatehouseHTTP
import GatehouseModel

/// The gateway that answers a request where classes are in groups, and the request as it knows it.
struct GroupRoute {
  let gateway: Gateway
  var request: Request
  /// The group; nil: the main one, which nobody has named.
  private let group: String?
  /// Whether the path names the group.
  let isExplicit: Bool
  /// The shards of a group that are asked.
  enum Shards {
    /// One, or the group has none.
    case one
    /// All, whose objects are put together.
    case merged
    /// One after the other.
    case each([Gateway])
    /// The shards with a part in a write, at once.
    case parts(ShardedWrite)
    /// The shards that a command has to do with.
    case command(ShardedCommand)
  }

  var shards = Shards.one
  /// The whole schema of which a part is applied; nil: that is not what is asked.
  var schema: Schema?

  init(to gateway: Gateway, _ request: Request, group: String? = nil, isExplicit: Bool = false) {
    (self.gateway, self.request, self.group, self.isExplicit) = (gateway, request, group, isExplicit)
  }

  /// Has the answer be that to the request as it was.
  func finish(_ response: inout Response) {
    if let schema, response.status == .ok, case .bytes = response.body,
      let type = MediaType.forOne.first(where: { $0.name == response.fields["content-type"] })
    {
      response.body = .bytes(type.bytes(of: schema.notation))
    }
    guard let group else { return }
    let isForwarded = response.route == LeaderClient.route
    if isExplicit, !isForwarded {
      response.fields.prefixPaths(with: "/v1/groups/\(group)")
      response.route = response.route?.prefixed(with: "/v1/groups/{group}")
    } else if !isExplicit, isForwarded {
      // Another node was asked for the group by its name.
      response.fields.removeFromPaths("/groups/\(group)")
    }
  }
}

extension String {
  /// The route of a resource that is below another path.
  package func prefixed(with path: String) -> String {
    path + (hasPrefix("/v1/") ? dropFirst(3) : self[...])
  }
}

extension Fields {
  /// Has fields that lead to paths of the API lead to the same below another path.
  package mutating func prefixPaths(with prefix: String) {
    changePaths { $0.hasPrefix("/v1/") ? prefix + $0.dropFirst(3) : nil }
  }

  fileprivate mutating func removeFromPaths(_ part: String) {
    changePaths { path in
      path.firstRange(of: "\(part)/").map { path.replacingCharacters(in: $0, with: "/") }
    }
  }

  /// - Parameter change: Returns what comes in the place of a path; nil: it stays.
  private mutating func changePaths(_ change: (String) -> String?) {
    for name: StaticString in ["location", "content-location"] {
      if let value = self["\(name)"].flatMap(change) { replace(name, value) }
    }
    if let value = self["link"], value.hasPrefix("<"), let changed = change(String(value.dropFirst())) {
      replace("link", "<" + changed)
    }
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
    var changed = self
    changed.replaceSubrange(range, with: text)
    return changed
  }
}
