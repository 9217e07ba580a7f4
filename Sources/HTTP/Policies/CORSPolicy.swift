/// Which web pages of other origins may read responses (the CORS protocol of the Fetch standard, §3.2).
public struct CORSPolicy: Hashable, Sendable {
  public enum Origins: Hashable, Sendable {
    case any
    /// As browsers write them: `https://example.org`, in lower case, without a slash at the end.
    case these(Set<String>)
  }

  public var origins: Origins
  /// Whether cookies and other credentials of the browser may come along. Never with ``Origins/any``.
  public var allowsCredentials: Bool
  /// Request fields that pages may send, in lower case.
  public var allowedFields: [String]
  /// Response fields that pages may read, in lower case.
  public var exposedFields: [String]
  /// For how long browsers may remember the answer to a preflight, in seconds.
  public var maximumAge: Int

  public init(
    origins: Origins, allowsCredentials: Bool = false, allowedFields: [String] = Self.usualFields,
    exposedFields: [String] = Self.usualExposedFields, maximumAge: Int = 600
  ) {
    self.origins = origins
    self.allowsCredentials = allowsCredentials
    self.allowedFields = allowedFields
    self.exposedFields = exposedFields
    self.maximumAge = maximumAge
  }

  public static let usualFields = [
    "accept", "audit-activity", "audit-scope", "authorization", "content-type", "idempotency-key", "if-match",
    "if-none-match", "last-event-id", "prefer", "x-request-id",
  ]
  public static let usualExposedFields = [
    "accept-encoding", "accept-patch", "accept-post", "accept-query", "allow", "content-location", "etag",
    "link", "location",
    "preference-applied", "realm-version", "retry-after", "server-timing", "total-count",
    "www-authenticate", "x-request-id",
  ]

  /// The fields to add to the answer to a preflight request for a resource with those methods, as `allow` lists
  /// them; nil when the request is none.
  ///
  /// A page whose origin is not allowed gets no permission in them.
  public func preflight(_ request: Request, methods: String) -> Fields? {
    guard request.method == .options, request.fields.contains("origin"),
      request.fields.contains("access-control-request-method")
    else { return nil }
    var fields = Fields()
    guard let allowed = allowedOrigin(request) else {
      addVary(to: &fields, isPreflight: true)
      return fields
    }
    fields.append("access-control-allow-origin", allowed)
    if sendsCredentials { fields.append("access-control-allow-credentials", "true") }
    fields.append("access-control-allow-methods", methods)
    fields.append("access-control-allow-headers", allowedFields.joined(separator: ", "))
    fields.append("access-control-max-age", "\(maximumAge)")
    addVary(to: &fields, isPreflight: true)
    return fields
  }

  /// Adds to a response what lets the page read it, or ask for what the preflight is about, and what keeps
  /// caches from giving it to another.
  public func apply(to response: inout Response, for request: Request) {
    // A preflight is for a resource that exists: the answer says which methods it has.
    if request.method == .options, let methods = response.fields["allow"],
      let fields = preflight(request, methods: methods)
    {
      for line in fields.lines { response.fields.append(line) }
      return
    }
    if let origin = allowedOrigin(request) { allow(origin, in: &response.fields) }
    addVary(to: &response.fields, isPreflight: false)
  }

  /// The fields to add to the answer to a request that broke a rule of HTTP, before any handler saw it: a page
  /// would otherwise learn nothing of what was wrong.
  ///
  /// Where the rule was broken, `origin` may not have been read. Where one page only is allowed it is named all the
  /// same: the browser compares.
  ///
  /// - Parameter bytes: What came of the request last, in which its origin is looked for.
  public func errorFields(for bytes: UnsafeRawBufferPointer) -> Fields {
    var fields = Fields()
    let origin: String? =
      switch origins {
      case .any: "*"
      case .these(let origins) where origins.count == 1: origins.first
      case .these(let origins): bytes.origin.flatMap { origins.contains($0) ? $0 : nil }
      }
    if let origin { allow(origin, in: &fields) }
    addVary(to: &fields, isPreflight: false)
    return fields
  }

  /// Lets pages of that origin read the response.
  private func allow(_ origin: String, in fields: inout Fields) {
    fields.append("access-control-allow-origin", origin)
    if sendsCredentials { fields.append("access-control-allow-credentials", "true") }
    if !exposedFields.isEmpty {
      fields.append("access-control-expose-headers", exposedFields.joined(separator: ", "))
    }
  }

  private var sendsCredentials: Bool { allowsCredentials && origins != .any }

  private func allowedOrigin(_ request: Request) -> String? {
    guard let origin = request.fields["origin"] else { return nil }
    switch origins {
    case .any: return "*"
    case .these(let origins): return origins.contains(origin) ? origin : nil
    }
  }

  private func addVary(to fields: inout Fields, isPreflight: Bool) {
    // With `*` the answer is the same for everybody.
    var names = origins == .any ? [] : ["origin"]
    if isPreflight { names += ["access-control-request-method", "access-control-request-headers"] }
    if !names.isEmpty { fields.append("vary", names.joined(separator: ", ")) }
  }
}

extension UnsafeRawBufferPointer {
  /// The value of the first line that names an origin, whatever the bytes are otherwise.
  fileprivate var origin: String? {
    var start = 0
    while let end = firstLineFeed(from: start) {
      let line = part(start, end)
      if line.count > 7, line.part(0, 7).matchesIgnoringCase("origin:") {
        let value = line.part(7, line[line.count - 1] == UInt8(ascii: "\r") ? line.count - 1 : line.count)
        return String(decoding: value.trimmed, as: UTF8.self)
      }
      start = end + 1
    }
    return nil
  }
}
