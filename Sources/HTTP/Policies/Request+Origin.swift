extension Request {
  /// Whether a browser sends the request for a web page of another origin than the server's own (RFC 6454 §5), which
  /// is none of those that are `allowed`.
  ///
  ///     Origin           Sec-Fetch-Site           sent by
  ///     none             none                     a program, or an old browser that reads something
  ///     own or none      `same-origin`, `none`    a page of this server, or a person who typed the address
  ///     of another page  any                      that page, unless it is allowed: `null`, other ports and schemes too
  ///     none             `same-site`, any other   some page, which browsers do not name for images and links
  ///
  /// Pages can neither set nor remove the two fields (Fetch §2.2.2, forbidden request-headers). Another port of this
  /// machine is the same site, but not the same origin: whoever may listen there is somebody else.
  public func isCrossOrigin(allowed: CORSPolicy.Origins?) -> Bool {
    if allowed == .any { return false }
    if let origin = fields["origin"] {
      if case .these(let origins)? = allowed, origins.contains(origin) { return false }
      if origin != ownOrigin { return true }
    }
    switch fields["sec-fetch-site"] {
    case nil, "same-origin", "none": return false
    case _?: return true
    }
  }

  /// The origin of pages that this server sends to whoever addresses it like the request; nil where that says no host.
  private var ownOrigin: String? {
    guard var host = fields["host"]?.lowercased() else { return nil }
    // Browsers leave the scheme's own port out.
    let port = isSecure ? ":443" : ":80"
    if host.hasSuffix(port) { host.removeLast(port.utf8.count) }
    return "\(isSecure ? "https" : "http")://\(host)"
  }
}
