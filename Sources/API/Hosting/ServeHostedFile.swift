import GatehouseHTTP

extension HostedSite {
  /// The first segments of paths that are the gateway's own, whatever files there are.
  private static let reserved: Set<String> = ["api", "app", "console", "v1"]

  /// Returns the answer to GET or HEAD of a path at which the API has nothing, or its root; nil: the site has nothing there either.
  func response(to request: Request, at path: [String]) async throws -> Response? {
    guard request.method == .get || request.method == .head, !Self.reserved.contains(path.first ?? "") else {
      return nil
    }
    let path = path.isEmpty ? [""] : path
    switch await files.entry(at: path) {
    case .file(let file)?: return try await ServeHostedFile(file, request).answer()
    case .folder?:
      var response = Response(status: .permanentRedirect)
      // Relative, since a proxy may have the site below a path of its own.
      let query = request.target.query.map { "?\($0)" } ?? ""
      response.fields.append("location", "\((path.last ?? "").percentEncoded)/\(query)")
      return response
    case nil: break
    }
    guard let fallback, request.fields["accept"]?.contains("text/html") == true,
      case .file(let file)? = await files.entry(at: fallback)
    else { return nil }
    return try await ServeHostedFile(file, request).answer()
  }
}

/// GET of a file of a web site: whole or one range of it (RFC 9110 §14), or that the client has it already.
private struct ServeHostedFile {
  /// Larger contents are sent in pieces of that size.
  private static let piece = 256 << 10

  private let file: any HostedFile
  private let fields: Fields
  private let isHead: Bool

  init(_ file: any HostedFile, _ request: Request) {
    self.file = file
    fields = request.fields
    isHead = request.method == .head
  }

  private var tag: String { "\"f\(file.state)\"" }

  func answer() async throws -> Response {
    if try fields["if-none-match"].map({ try EntityTags($0, field: "If-None-Match").contains(weakly: tag) })
      == true
    {
      return response(.notModified, .empty)
    }
    // Ranges are of GET only.
    guard !isHead, let range = ByteRange(fields, tag: tag, size: file.size) else {
      return try await response(.ok, 0..<file.size)
    }
    guard let bytes = range.bytes else {
      var response = response(.rangeNotSatisfiable, .empty)
      response.fields.append("content-range", "bytes */\(file.size)")
      return response
    }
    var response = try await response(.partialContent, bytes)
    response.fields.append(
      "content-range", "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(file.size)")
    return response
  }

  private func response(_ status: Status, _ range: Range<Int>) async throws -> Response {
    var response = response(status, try await body(range))
    if case .stream = response.body { response.fields.append("content-length", String(range.count)) }
    return response
  }

  private func body(_ range: Range<Int>) async throws -> ResponseBody {
    guard range.count > Self.piece else { return .bytes(try await file.read(range)) }
    return .stream { [file] writer in
      for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.piece) {
        let bytes = try await file.read(start..<min(start + Self.piece, range.upperBound))
        // Who has asked for more than there is by now must not take it for whole.
        guard bytes.count == min(Self.piece, range.upperBound - start) else {
          throw ClientDisconnectedError()
        }
        try await writer.write(bytes)
      }
    }
  }

  private func response(_ status: Status, _ body: ResponseBody) -> Response {
    var response = Response(status: status, body: body)
    response.fields.append("content-type", MediaTypes.mediaType(of: file.name))
    response.fields.append("etag", tag)
    response.fields.append("accept-ranges", "bytes")
    // Asked each time whether it is still the same.
    response.fields.append("cache-control", "no-cache")
    response.fields.append("x-content-type-options", "nosniff")
    return response
  }
}

/// The one range that a request wants of a content.
struct ByteRange: Hashable {
  /// Nil: the content has nothing of it.
  let bytes: Range<Int>?

  /// Nil: the request wants the whole, or several ranges, or says it in another way, or knows another state of the content.
  init?(_ fields: Fields, tag: String, size: Int) {
    guard let value = fields["range"], fields["if-range"].map({ $0 == tag }) ?? true else { return nil }
    let parts = value.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, parts[0] == "bytes" else { return nil }
    let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
      return nil
    }
    switch (Int(ends[0]), Int(ends[1])) {
    case (let first?, let last?):
      guard first <= last else { return nil }
      bytes = first < size ? first..<min(last, size - 1) + 1 : nil
    case (let first?, nil) where ends[1].isEmpty: bytes = first < size ? first..<size : nil
    case (nil, let count?) where ends[0].isEmpty:
      bytes = count > 0 && size > 0 ? max(0, size - count)..<size : nil
    default: return nil
    }
  }
}
