import GatehouseHTTP

/// Finds the endpoint of a request.
struct Router: Sendable {
  /// The endpoint or the methods that a request's method and path lead to.
  enum Match: Hashable, Sendable {
    /// An endpoint, and the segments that stand where its template has braces.
    case endpoint(Endpoint, captures: [String])
    /// OPTIONS: the methods that the resource has.
    case options(allow: [Method])
  }

  /// Finds any of the endpoints.
  static let all = Router(Endpoint.all)
  /// Finds those of the endpoints that groups of classes have.
  static let ofGroups = Router(Endpoint.ofGroups)

  private let resources: [Resource]

  /// No two of the endpoints may have ``conflicts(among:)``.
  init(_ endpoints: [Endpoint]) {
    let conflicts = Router.conflicts(among: endpoints)
    precondition(conflicts.isEmpty, "one path leads to two endpoints: \(conflicts)")
    var resources: [Resource] = []
    for endpoint in endpoints {
      if let index = resources.firstIndex(where: { $0.template == endpoint.template }) {
        resources[index].endpoints.append(endpoint)
      } else {
        resources.append(Resource(template: endpoint.template, endpoints: [endpoint]))
      }
    }
    self.resources = resources.filter { !$0.givesWay } + resources.filter(\.givesWay)
  }

  /// The pairs of endpoints that some path would lead to at once: the same method on the same template, or two
  /// templates that a path fits. Of those, the first would hide the second's methods and the objects that are named
  /// as its literal: beside `/v1/collections/{class}/{id}`, nothing can be at `/v1/collections/{class}/random`.
  static func conflicts(among endpoints: [Endpoint]) -> [Conflict] {
    var conflicts: [Conflict] = []
    let resources = endpoints.map { Resource(template: $0.template, endpoints: [$0]) }
    for (index, first) in endpoints.enumerated() {
      for other in (index + 1)..<endpoints.count {
        let second = endpoints[other]
        let isConflict =
          first.template == second.template
          ? first.method == second.method : resources[index].overlaps(resources[other])
        if isConflict { conflicts.append(Conflict(first: first, second: second)) }
      }
    }
    return conflicts
  }

  /// Two endpoints that one path leads to.
  struct Conflict: Hashable, Sendable {
    let first: Endpoint
    let second: Endpoint
  }

  /// Throws ``APIError/routeNotFound``.
  func resource(at segments: [String]) throws(APIError) -> Resource {
    for resource in resources where resource.matches(segments) { return resource }
    throw .routeNotFound
  }

  /// Throws ``APIError/routeNotFound`` and ``APIError/methodNotAllowed(allow:)``.
  func match(_ method: Method, _ segments: [String]) throws(APIError) -> Match {
    try resource(at: segments).match(method, segments)
  }
}
