import HTTP

/// Finds the endpoint of a request.
struct Router: Sendable {
  /// What a request's method and path lead to.
  enum Match: Hashable, Sendable {
    /// An endpoint, and the segments that stand where its template has braces.
    case endpoint(Endpoint, captures: [String])
    /// OPTIONS: the methods that the resource has.
    case options(allow: [Method])
  }

  private let resources: [Resource]

  init(_ routes: [Route]) {
    var resources: [Resource] = []
    for route in routes {
      if let index = resources.firstIndex(where: { $0.template == route.template }) {
        resources[index].endpoints.append((route.method, route.endpoint))
      } else {
        resources.append(Resource(template: route.template, endpoints: [(route.method, route.endpoint)]))
      }
    }
    self.resources = resources
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

/// The routes of one template.
struct Resource: Sendable {
  /// One segment of a template.
  private enum Pattern: Sendable {
    case literal(String)
    case capture
  }

  let template: String
  var endpoints: [(method: Method, endpoint: Endpoint)]
  private let patterns: [Pattern]
  /// Whether the last pattern stands for one segment or more.
  private let isOpen: Bool

  init(template: String, endpoints: [(method: Method, endpoint: Endpoint)]) {
    self.template = template
    self.endpoints = endpoints
    isOpen = template.hasSuffix("/{path}")
    patterns = template.split(separator: "/").map { $0.hasPrefix("{") ? .capture : .literal(String($0)) }
  }

  /// Throws ``APIError/methodNotAllowed(allow:)``. `segments` are of this resource.
  func match(_ method: Method, _ segments: consuming [String]) throws(APIError) -> Router.Match {
    if method == .options { return .options(allow: allow) }
    // RFC 9110 §9.3.2: HEAD is GET without the content, which the server leaves out.
    let wanted = method == .head ? .get : method
    guard let found = endpoints.first(where: { $0.method == wanted }) else {
      throw .methodNotAllowed(allow: allow)
    }
    return .endpoint(found.endpoint, captures: captures(in: segments))
  }

  func matches(_ segments: [String]) -> Bool {
    guard segments.count == patterns.count || isOpen && segments.count > patterns.count else { return false }
    for index in patterns.indices {
      if case .literal(let text) = patterns[index], text != segments[index] { return false }
    }
    return true
  }

  private func captures(in segments: consuming [String]) -> [String] {
    for index in patterns.indices.reversed() {
      if case .literal = patterns[index] { segments.remove(at: index) }
    }
    return segments
  }

  private var allow: [Method] {
    let methods = endpoints.map(\.method)
    return (methods.contains(.get) ? [.get, .head] : []) + methods.filter { $0 != .get } + [.options]
  }
}
