import GatehouseHTTP

/// The endpoints of one template.
struct Resource: Sendable {
  /// One segment of a template.
  private enum Pattern: Sendable {
    case literal(String)
    case capture

    /// Whether a segment fits both.
    func overlaps(_ other: Pattern) -> Bool {
      guard case .literal(let text) = self, case .literal(let otherText) = other else { return true }
      return text == otherText
    }
  }

  let template: String
  var endpoints: [Endpoint]
  private let patterns: [Pattern]
  /// Whether the last pattern stands for one segment or more.
  private let isOpen: Bool
  /// Whether paths are left to other templates that have literals in the place of the last pattern.
  let givesWay: Bool

  init(template: String, endpoints: [Endpoint]) {
    self.template = template
    self.endpoints = endpoints
    givesWay = template.hasSuffix("/{route}")
    isOpen = givesWay || template.hasSuffix("/{path}")
    patterns = template.split(separator: "/").map { $0.hasPrefix("{") ? .capture : .literal(String($0)) }
  }

  /// Throws ``APIError/methodNotAllowed(allow:)``. `segments` are of this resource.
  func match(_ method: Method, _ segments: consuming [String]) throws(APIError) -> Router.Match {
    if method == .options { return .options(allow: allow) }
    // RFC 9110 §9.3.2: HEAD is GET without the content, which the server leaves out.
    let wanted = method == .head ? .get : method
    guard let found = endpoint(for: wanted) else { throw .methodNotAllowed(allow: allow) }
    return .endpoint(found, captures: captures(in: segments))
  }

  /// The endpoint that the method has here.
  func endpoint(for method: Method) -> Endpoint? { endpoints.first { $0.method == method } }

  func matches(_ segments: [String]) -> Bool {
    guard segments.count == patterns.count || isOpen && segments.count > patterns.count else { return false }
    for index in patterns.indices {
      if case .literal(let text) = patterns[index], text != segments[index] { return false }
    }
    return true
  }

  /// Whether there is a path that both match, and neither leaves to the other.
  func overlaps(_ other: Resource) -> Bool {
    if isLiteral(where: other) || other.isLiteral(where: self) { return false }
    let fits =
      patterns.count == other.patterns.count || isOpen && patterns.count < other.patterns.count
      || other.isOpen && other.patterns.count < patterns.count
    return fits && zip(patterns, other.patterns).allSatisfy { $0.overlaps($1) }
  }

  /// Whether it has a literal where the other one gives way.
  private func isLiteral(where other: Resource) -> Bool {
    let index = other.patterns.count - 1
    guard other.givesWay, index < patterns.count, case .literal = patterns[index] else { return false }
    return true
  }

  /// The methods of the resource, in the order of its endpoints.
  var allow: [Method] {
    let methods = endpoints.map(\.method)
    return (methods.contains(.get) ? [.get, .head] : []) + methods.filter { $0 != .get } + [.options]
  }

  private func captures(in segments: consuming [String]) -> [String] {
    for index in patterns.indices.reversed() {
      if case .literal = patterns[index] { segments.remove(at: index) }
    }
    return segments
  }
}

extension Response {
  /// The answer to OPTIONS.
  init(optionsOf resource: Resource) {
    self.init(status: .noContent)
    fields.append("allow", resource.allow.map(\.rawValue).joined(separator: ", "))
    guard let query = resource.endpoint(for: .query) else { return }
    fields.append("accept-query", query.reads.map(\.name).joined(separator: ", "))
  }
}
