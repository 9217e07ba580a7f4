internal import CGatehouseCurl
internal import Glibc

/// One request and what has come of its answer.
///
/// It belongs to whoever makes it until it is submitted, then to the loop.
final class Transfer: @unchecked Sendable {
  // Because it is handed from one owner to the next, and has one at a time.

  /// libcurl's.
  let handle: UnsafeMutableRawPointer
  private let request: ClientRequest
  private let policy: AddressPolicy
  private let cancellation: Cancellation
  /// Takes the content of an answer with status 200 as it comes; nil: it is collected.
  private let take: (@Sendable ([UInt8]) -> Void)?
  private let completion: @Sendable (Result<ClientResponse, ClientError>) -> Void
  private var fields: UnsafeMutablePointer<curl_slist>?
  private var source: ContentSource
  private var response = ClientResponse()
  private var headSize = 0
  /// The reason why a callback ended the transfer; libcurl itself says less.
  private var failure: ClientError?

  /// The most bytes of the head of an answer.
  private static let headLimit = 1 << 16

  init(
    _ request: ClientRequest, policy: AddressPolicy, certificates: String?, cancellation: Cancellation,
    take: (@Sendable ([UInt8]) -> Void)?,
    completion: @escaping @Sendable (Result<ClientResponse, ClientError>) -> Void
  ) throws(ClientError) {
    guard Transfer.isSound(request) else { throw .malformedRequest }
    source = try ContentSource(request.content)
    guard let handle = curl_easy_init() else { preconditionFailure("no memory") }
    self.handle = handle
    self.request = request
    self.policy = policy
    self.cancellation = cancellation
    self.take = take
    self.completion = completion
    configure(certificates: certificates)
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(fields)
  }

  var isCancelled: Bool { cancellation.isRequested }

  /// Hands over the answer, or why there is none.
  func complete(_ error: ClientError?) {
    precondition(
      response.content.count <= request.responseLimit && (error != nil || headSize <= Transfer.headLimit),
      "an answer is never larger than its request allows")
    if let error {
      completion(.failure(failure ?? error))
    } else {
      response.status = curl_status(handle)
      completion(.success(response))
    }
  }

  /// Whether nothing in it could end a line of the head, or the text, too early.
  private static func isSound(_ request: ClientRequest) -> Bool {
    let texts = [request.method, request.url] + request.fields.flatMap { [$0.name, $0.value] }
    let isName: (String) -> Bool = {
      !$0.isEmpty && !$0.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: ":") }
    }
    return texts.allSatisfy { !$0.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F } }
      && isName(request.method) && request.fields.allSatisfy { isName($0.name) }
  }

  private func configure(certificates: String?) {
    curl_set_text(handle, CURLOPT_URL, request.url)
    curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    curl_set_number(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
    if take == nil {
      curl_set_number(handle, CURLOPT_TIMEOUT_MS, Transfer.milliseconds(request.timeout))
    } else {
      // Less than one byte a second for so many seconds.
      curl_set_number(handle, CURLOPT_LOW_SPEED_LIMIT, 1)
      curl_set_number(
        handle, CURLOPT_LOW_SPEED_TIME, max(Transfer.milliseconds(request.timeout) / 1000, 1))
    }
    curl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, Transfer.milliseconds(request.connectTimeout))
    if !policy.allowsProxies { curl_set_text(handle, CURLOPT_PROXY, "") }
    if let certificates { curl_set_text(handle, CURLOPT_CAINFO, certificates) }
    configureContent()
    configureFields()
    curl_set_callbacks(
      handle, Transfer.takeHead, Transfer.takeContent, Transfer.giveContent, Transfer.rewind, Transfer.open)
    // The loop keeps it for as long as libcurl has the pointer.
    curl_set_owner(handle, Unmanaged.passUnretained(self).toOpaque())
  }

  private func configureContent() {
    let hasContent = !["GET", "HEAD", "DELETE", "OPTIONS"].contains(request.method)
    if request.method == "HEAD" {
      curl_set_number(handle, CURLOPT_NOBODY, 1)
    } else if hasContent || source.size > 0 {
      curl_set_number(handle, CURLOPT_UPLOAD, 1)
      curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(source.size))
    }
    curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method)
  }

  private func configureFields() {
    // Nobody is asked whether a content may come: it would cost a round trip, and some servers never answer.
    fields = curl_slist_append(nil, "Expect:")
    for field in request.fields {
      // A field without value is spelled with a semicolon (CURLOPT_HTTPHEADER(3)).
      let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
      fields = curl_slist_append(fields, line)
    }
    curl_set_fields(handle, fields)
  }

  /// At least one: 0 stands for no limit.
  private static func milliseconds(_ duration: Duration) -> Int {
    Int(min(max(duration / .milliseconds(1), 1), Double(Int32.max)))
  }
}

// The functions that libcurl calls back. One that does not return what it was given ends the transfer.
extension Transfer {
  private static func of(_ pointer: UnsafeMutableRawPointer?) -> Transfer {
    guard let pointer else { preconditionFailure("libcurl has lost a transfer") }
    return Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue()
  }

  private static let takeHead: curl_write_callback = { bytes, size, count, owner in
    let transfer = Transfer.of(owner)
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    transfer.headSize += line.count
    guard transfer.headSize <= Transfer.headLimit else {
      transfer.failure = .tooLarge
      return 0
    }
    transfer.response.take(line: line)
    return line.count
  }

  private static let takeContent: curl_write_callback = { bytes, size, count, owner in
    let transfer = Transfer.of(owner)
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    if let take = transfer.take, curl_status(transfer.handle) == 200 {
      take(Array(piece))
      return piece.count
    }
    guard transfer.response.content.count + piece.count <= transfer.request.responseLimit else {
      transfer.failure = .tooLarge
      return 0
    }
    transfer.response.content.append(contentsOf: piece)
    return piece.count
  }

  private static let giveContent: curl_read_callback = { room, size, count, owner in
    let transfer = Transfer.of(owner)
    if let count = transfer.source.read(into: UnsafeMutableRawBufferPointer(start: room, count: size * count))
    {
      return count
    }
    transfer.failure = .unreadableContent
    return Int(CURL_READFUNC_ABORT)
  }

  /// A kept connection may turn out to be closed when a part has been sent: libcurl begins again on another one.
  private static let rewind: curl_seek_callback = { owner, offset, origin in
    let transfer = Transfer.of(owner)
    guard origin == SEEK_SET, (0...transfer.source.size).contains(Int(offset)) else {
      return CURL_SEEKFUNC_CANTSEEK
    }
    transfer.source.offset = Int(offset)
    return CURL_SEEKFUNC_OK
  }

  private static let open: curl_opensocket_callback = { owner, _, address in
    let transfer = Transfer.of(owner)
    guard let address, transfer.allows(address.pointee.family, curl_address(address)) else {
      transfer.failure = .forbiddenAddress
      return curl_socket_t(-1)
    }
    // Another of the host's addresses will do.
    if transfer.failure == .forbiddenAddress { transfer.failure = nil }
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(address.pointee.family, kind, address.pointee.protocol)
  }

  private func allows(_ family: Int32, _ address: UnsafeRawPointer?) -> Bool {
    guard let address else { return false }
    switch family {
    case AF_INET:
      let address = address.loadUnaligned(as: sockaddr_in.self).sin_addr
      return policy.allows(withUnsafeBytes(of: address, Array.init))
    case AF_INET6:
      let address = address.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      return policy.allows(withUnsafeBytes(of: address, Array.init))
    default: return false
    }
  }
}
