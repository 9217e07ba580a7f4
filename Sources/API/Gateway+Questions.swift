import BSON
import Functions
import HTTP

extension Gateway {
  /// Answers what a function asks while it is called by that request. Functions see and do what the gateway's
  /// own resources let them, as the gateway itself.
  func respondent(for request: Request) -> Question.Respondent {
    { question in
      switch question {
      case .request: Gateway.description(of: request)
      case .data(let question): await self.reply(to: question, for: request)
      }
    }
  }

  private func reply(to question: DataQuestion, for outer: Request) async -> Question.Reply {
    let halves = question.target.split(separator: "?", maxSplits: 1).map(String.init)
    let isData = ["/v1/collections", "/v1/transactions"].contains { question.target.hasPrefix($0) }
    guard let method = Method(rawValue: question.method), isData, let path = halves.first else {
      return .failure("Functions have no such request.")
    }
    var fields = Fields([Fields.Line(name: "accept", value: MediaType.bson.name)])
    if question.content != nil { fields.append("content-type", ContentType.bson.name) }
    if question.counts { fields.append("prefer", "count=exact") }
    var inner = Request(
      method: method, target: Target(path: path, query: halves.count > 1 ? halves[1] : nil), fields: fields,
      body: question.content.map { .bytes($0) } ?? .empty)
    inner.id = outer.id
    return Gateway.reply(await respond(to: inner))
  }

  private static func reply(_ response: Response) -> Question.Reply {
    var reply: Document = ["status": .int32(Int32(response.status.rawValue))]
    if case .bytes(let bytes) = response.body { reply.append("content", .binary(Binary(bytes: bytes))) }
    if let next = response.fields["link"]?.split(separator: ">").first?.dropFirst() {
      reply.append("next", .string(String(next)))
    }
    if let total = response.fields["total-count"] { reply.append("total", .string(total)) }
    return Question.Reply(reply)
  }

  /// What App Services calls `context.request`, without what lets somebody else be the caller.
  private static func description(of request: Request) -> Question.Reply {
    var headers = Document()
    for line in request.fields.lines where !["authorization", "cookie"].contains(line.name) {
      if headers[line.name] == nil { headers.append(line.name, .array([.string(line.value)])) }
    }
    return Question.Reply([
      "request": [
        "httpMethod": .string(request.method.rawValue),
        "remoteIPAddress": .string(request.peer.address),
        "httpUserAgent": .string(request.fields["user-agent"] ?? ""),
        "httpReferrer": .string(request.fields["referer"] ?? ""),
        "rawQueryString": .string(request.target.query ?? ""), "requestHeaders": .document(headers),
      ]
    ])
  }
}

extension PeerAddress {
  /// Without the port.
  fileprivate var address: String {
    let text = description
    guard self != .local, let colon = text.lastIndex(of: ":") else { return text }
    return text[..<colon].filter { $0 != "[" && $0 != "]" }
  }
}
