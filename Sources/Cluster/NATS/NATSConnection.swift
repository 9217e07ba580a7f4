internal import GatehouseBSON
internal import GatehouseScheduling
internal import GatehouseTelemetry
internal import Synchronization

/// One connection to a NATS server, from its first message to its end.
final class NATSConnection: Sendable {
  private struct State {
    var isOpen = true
    /// The number of the last mailbox; 1 is that of the subscription to all answers.
    var next: UInt64 = 1
    var waiting: [UInt64: Mailbox] = [:]
    var pongs: [any Signal] = []
    /// The servers of the cluster, as this one last told.
    var addresses: [ServerAddress]
    /// When the log last answered by this server, or the connection was made; on the monotonic clock, in nanoseconds.
    var confirmedAt = MonotonicClock.now()
  }

  let info: ServerInfo
  private let socket: ServerSocket
  private let scheduler: any Scheduler
  private let state: Mutex<State>
  /// All answers come to subjects that begin with it.
  private let inbox: String

  /// Connects, and begins to read on a lane of its own. Throws ``LogError``.
  init(_ address: ServerAddress, options: NATSOptions, context: TLSClientContext?) throws(LogError) {
    guard let socket = ServerSocket(address, limit: options.connectLimit) else {
      throw .unavailable
    }
    var greeting = NATSGreeting(socket)
    guard case .info(let json) = try greeting.next() else { throw .malformedAnswer }
    guard let info = ServerInfo(json) else { throw .malformedAnswer }
    if info.requiresTLS || options.usesTLS {
      // Anybody may have sent what came before TLS.
      guard greeting.parser.count == 0 else { throw .malformedAnswer }
      guard let context, socket.startTLS(context, host: address.host) else { throw .unauthorized }
    }
    inbox = "_INBOX.\(UInt64.random(in: 0...(.max)))"
    let connect = ConnectOptions(
      options.credentials, info: info, usesTLS: info.requiresTLS || options.usesTLS)
    let first =
      ClientMessage.connect(connect.json) + ClientMessage.subscribe("\(inbox).*", as: 1) + ClientMessage.ping
    guard socket.write(first) else { throw .unavailable }
    try greeting.finish()
    socket.setPatience(.seconds(2))
    (self.info, self.socket, scheduler) = (info, socket, options.scheduler)
    state = Mutex(State(addresses: info.addresses))
    let parser = greeting.parser
    options.scheduler.makeLane("gatehouse.nats", priority: .userInitiated).async { self.run(parser) }
  }

  var isOpen: Bool { state.withLock(\.isOpen) }

  /// The servers of the cluster that clients can connect to, as this one last told.
  var addresses: [ServerAddress] { state.withLock(\.addresses) }

  /// Takes note that the log has answered by this server.
  func confirm() { state.withLock { $0.confirmedAt = MonotonicClock.now() } }

  /// Whether the log has answered by this server within the limit.
  func isConfirmed(within limit: Duration) -> Bool {
    // Under the lock no other thread comes in between with a later time.
    state.withLock { MonotonicClock.now() - $0.confirmedAt <= limit.nanoseconds }
  }

  /// Ends the connection; those who wait are told.
  func close() {
    let mailboxes = state.withLock { state in
      state.isOpen = false
      defer { (state.waiting, state.pongs) = ([:], []) }
      return Array(state.waiting.values)
    }
    socket.shutDown()
    for mailbox in mailboxes { mailbox.close() }
  }

  // The reading lane

  private func run(_ parser: consuming NATSParser) {
    var parser = parser
    while isOpen {
      do throws(NATSProtocolError) {
        while let message = try parser.next() { take(message) }
      } catch { break }
      switch socket.read() {
      case .bytes(let bytes): parser.append(bytes)
      case .nothing: continue
      case .end: return close()
      }
    }
    close()
  }

  private func take(_ message: ServerMessage) {
    switch message {
    case .delivery(let delivery): take(delivery)
    case .ping: _ = socket.write(ClientMessage.pong)
    case .pong:
      let signal = state.withLock { $0.pongs.isEmpty ? nil : $0.pongs.removeFirst() }
      signal?.signal()
    case .info(let json):
      if let info = ServerInfo(json) { state.withLock { $0.addresses = info.addresses } }
    // The server ends the connection behind an error that matters.
    case .ok, .error: break
    }
  }

  private func take(_ delivery: Delivery) {
    // Messages of a stream keep their own subject, so that only the subscription says whose they are.
    guard delivery.subscription == 1 else {
      state.withLock { $0.waiting[delivery.subscription] }?.put(delivery)
      return
    }
    guard let dot = delivery.subject.lastIndex(of: "."),
      let number = UInt64(delivery.subject[delivery.subject.index(after: dot)...])
    else { return }
    state.withLock { $0.waiting[number] }?.put(delivery)
  }

  // Requests

  /// Opens a mailbox for answers; nil: the connection has ended.
  func open() -> Mailbox? {
    state.withLock { state in
      guard state.isOpen else { return nil }
      state.next += 1
      precondition(state.waiting[state.next] == nil, "a mailbox has a number of its own")
      let mailbox = Mailbox(number: state.next, subject: "\(inbox).\(state.next)", scheduler)
      state.waiting[state.next] = mailbox
      return mailbox
    }
  }

  func remove(_ mailbox: Mailbox) { state.withLock { $0.waiting[mailbox.number] = nil } }

  /// Opens a mailbox with a subscription of its own, for messages of a stream; nil: the connection has ended.
  func subscribe() -> Mailbox? {
    let mailbox = state.withLock { state -> Mailbox? in
      guard state.isOpen else { return nil }
      state.next += 1
      precondition(state.waiting[state.next] == nil, "a mailbox has a number of its own")
      let mailbox = Mailbox(number: state.next, subject: "\(inbox)-\(state.next)", scheduler)
      state.waiting[state.next] = mailbox
      return mailbox
    }
    guard let mailbox else { return nil }
    guard socket.write(ClientMessage.subscribe(mailbox.subject, as: mailbox.number)) else {
      close()
      return nil
    }
    return mailbox
  }

  func unsubscribe(_ mailbox: Mailbox) {
    remove(mailbox)
    if isOpen { _ = socket.write(ClientMessage.unsubscribe(mailbox.number)) }
  }

  /// Sends a message whose answers come to the mailbox; false: the server has not all of it.
  func publish(
    _ payload: [UInt8], to subject: String, headers: MessageHeaders = MessageHeaders(), answers: Mailbox
  ) -> Bool {
    let bytes = ClientMessage.publish(payload, to: subject, headers: headers, reply: answers.subject)
    guard socket.write(bytes) else {
      close()
      return false
    }
    return true
  }

  enum Answer {
    case answered(Delivery)
    /// Nobody listens there: the request has reached the server, and nobody else.
    case noResponders
    /// The server has not got it.
    case unsent
    case unanswered
  }

  /// Sends a request, and waits for its answer.
  func request(
    _ payload: [UInt8], to subject: String, headers: MessageHeaders = MessageHeaders(), limit: Duration
  ) -> Answer {
    guard let mailbox = open() else { return .unsent }
    defer { remove(mailbox) }
    guard publish(payload, to: subject, headers: headers, answers: mailbox) else { return .unsent }
    switch mailbox.take(limit: limit) {
    case .delivery(let delivery) where delivery.headers.status == 503 && delivery.payload.isEmpty:
      return .noResponders
    case .delivery(let delivery): return .answered(delivery)
    case .nothing, .closed: return .unanswered
    }
  }

  /// Whether the server answers within the limit.
  func isAlive(limit: Duration) -> Bool {
    let signal = scheduler.makeSignal()
    let isOpen = state.withLock { state in
      if state.isOpen { state.pongs.append(signal) }
      return state.isOpen
    }
    return isOpen && socket.write(ClientMessage.ping) && signal.wait(for: limit)
  }
}

/// The first messages of a server, read before there is anybody who waits.
private struct NATSGreeting {
  private let socket: ServerSocket
  private(set) var parser = NATSParser()

  init(_ socket: ServerSocket) { self.socket = socket }

  mutating func next() throws(LogError) -> ServerMessage {
    while true {
      do throws(NATSProtocolError) {
        if let message = try parser.next() { return message }
      } catch { throw .malformedAnswer }
      guard case .bytes(let bytes) = socket.read() else { throw .unavailable }
      parser.append(bytes)
    }
  }

  /// Waits until the server has let the client in.
  mutating func finish() throws(LogError) {
    while true {
      switch try next() {
      case .pong: return
      case .error(let text):
        throw text.lowercased().contains("authori") || text.lowercased().contains("authent")
          ? .unauthorized : .unavailable
      case .ping: _ = socket.write(ClientMessage.pong)
      case .info, .ok, .delivery: break
      }
    }
  }
}

/// The JSON of a client's first message.
private struct ConnectOptions {
  let json: [UInt8]

  init(_ credentials: NATSCredentials, info: ServerInfo, usesTLS: Bool) {
    var options: Document = [
      "verbose": .bool(false), "pedantic": .bool(false), "tls_required": .bool(usesTLS),
      "name": .string("gatehouse"), "lang": .string("swift"), "version": .string("1"), "protocol": .int32(1),
      "headers": .bool(true), "no_responders": .bool(true), "echo": .bool(false),
    ]
    let nonce = Array((info.nonce ?? "").utf8)
    switch credentials {
    case .none: break
    case .password(let user, let password):
      options.append("user", .string(user))
      options.append("pass", .string(password))
    case .token(let token): options.append("auth_token", .string(token))
    case .key(let key):
      options.append("nkey", .string(key.publicKey))
      options.append("sig", .string(Base64.encode(key.sign(nonce), as: .urlSafe)))
    case .userToken(let token, let key):
      options.append("jwt", .string(token))
      options.append("sig", .string(Base64.encode(key.sign(nonce), as: .urlSafe)))
    }
    json = Value.document(options).json
  }
}

extension Value {
  /// The value as JSON.
  var json: [UInt8] {
    var writer = PlainJSONWriter()
    writer.value(self)
    return writer.finish()
  }
}
