import GatehouseSeeded
import Testing

@testable import GatehouseHTTP

/// A whole request as it stands on the wire, and what is made of it.
struct RawRequest: CustomTestStringConvertible, Sendable {
  let raw: String
  let outcome: [String]

  init(_ raw: String, _ outcome: String...) {
    self.raw = raw
    self.outcome = outcome
  }

  var testDescription: String { raw.debugDescription }
}

private let get = "GET / HTTP/1.1\r\nHost: a\r\n"
private let post = "POST / HTTP/1.1\r\nHost: a\r\n"

private let accepted: [RawRequest] = [
  RawRequest("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /"),
  RawRequest("GET /a/b%2Fc?d=%20e&f HTTP/1.1\r\nhOsT:a:8080\r\n\r\n", "GET /a/b%2Fc?d=%20e&f"),
  RawRequest("GET /? HTTP/1.1\r\nHost: a\r\n\r\n", "GET /?"),
  RawRequest("GET /?a>1&b=\"x\" HTTP/1.1\r\nHost: a\r\n\r\n", "GET /?a>1&b=\"x\""),
  RawRequest("GET //a/../b HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "GET //a/../b"),
  RawRequest("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /"),
  RawRequest(get + "\r\n" + get + "\r\n", "GET /", "GET /"),
  RawRequest(get + "X:\t y z \t\r\nX:\r\n\r\n", "GET / x=y z x="),
  RawRequest(get + "X: \u{e9}\r\n\r\n", "GET / x=\u{e9}"),
  RawRequest(get + "Connection: a, Close\r\n\r\n", "GET / close connection=a, Close"),
  RawRequest("GET / HTTP/1.0\r\n\r\n", "GET / 1.0 close"),
  RawRequest("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET / 1.0 connection=keep-alive"),
  RawRequest("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS *"),
  RawRequest("GET http://a/b?c HTTP/1.1\r\nHost: A\r\n\r\n", "GET /b?c"),
  RawRequest("GET https://a:1/ HTTP/1.1\r\nHost: a:1\r\n\r\n", "GET /"),
  RawRequest(post + "Content-Length: 3\r\n\r\nabcGET", "POST / content-length=3", "content abc", "…"),
  RawRequest(post + "Content-Length: 0\r\n\r\n", "POST / content-length=0"),
  RawRequest(
    post + "Content-Length: 003\r\nExpect: 100-Continue\r\n\r\nab",
    "POST / expects content-length=003 expect=100-Continue", "content ab …", "…"),
  RawRequest(
    post + "Transfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n00a;x;y=\"\\\"\";z=1\r\n0123456789\r\n0\r\n\r\n"
      + get
      + "\r\n",
    "POST / transfer-encoding=Chunked", "content abc0123456789", "GET /"),
  RawRequest(
    post + "Transfer-Encoding: chunked\r\n\r\n0\r\nTrailer: dropped\r\n\r\n",
    "POST / transfer-encoding=chunked", "content "),
  RawRequest("QUERY / HTTP/1.1\r\nHost: a\r\n\r\n", "QUERY /"),
]

private let refusedLines: [RawRequest] = [
  RawRequest("GET / HTTP/1.1\nHost: a\r\n\r\n", "400 bare_line_feed at 14"),
  RawRequest("GET / HTTP/1.1\r\nHost: a\n\r\n", "400 bare_line_feed at 23"),
  RawRequest(get + "\n", "400 bare_line_feed at 25"),
  RawRequest("\n", "400 bare_line_feed at 0"),
  RawRequest("GET / HTTP/1.1\rHost: a\r\n", "400 bare_carriage_return at 14"),
  RawRequest("GET /\rX HTTP/1.1\r\n", "400 malformed_target at 5"),
  RawRequest(get + "X: a\rb\r\n\r\n", "400 bare_carriage_return at 29"),
  RawRequest(get + "X: a\r\r\n\r\n", "400 bare_carriage_return at 29"),
  RawRequest(get + "X\r: a\r\n\r\n", "400 bare_carriage_return at 26"),
  RawRequest("\r\n\r\nGET / HTTP/1.1\r\n", "400 malformed_request_line at 2"),
  RawRequest("GET  / HTTP/1.1\r\n", "400 malformed_request_line at 0"),
  RawRequest("GET /  HTTP/1.1\r\n", "400 malformed_request_line at 0"),
  RawRequest(" GET / HTTP/1.1\r\n", "400 malformed_request_line at 0"),
  RawRequest("GET / HTTP/1.1 \r\n", "400 malformed_request_line at 0"),
  RawRequest("GET\t/ HTTP/1.1\r\n", "400 malformed_request_line at 0"),
  RawRequest("GET /a b HTTP/1.1\r\n", "400 malformed_request_line at 0"),
  RawRequest("GET /\r\n", "400 malformed_request_line at 0"),
  RawRequest("G@T / HTTP/1.1\r\n", "400 malformed_request_line at 0"),
  RawRequest("get / HTTP/1.1\r\n", "501 unknown_method at 0"),
  RawRequest("TRACE / HTTP/1.1\r\n", "501 unknown_method at 0"),
  RawRequest("CONNECT a:80 HTTP/1.1\r\n", "501 unknown_method at 0"),
  RawRequest("PRI * HTTP/2.0\r\n", "505 unsupported_version at 6"),
  RawRequest("GET / HTTP/1.2\r\n", "505 unsupported_version at 6"),
  RawRequest("GET / HTTP/0.9\r\n", "505 unsupported_version at 6"),
  RawRequest("GET / HTTP/1.10\r\n", "400 malformed_version at 6"),
  RawRequest("GET / http/1.1\r\n", "400 malformed_version at 6"),
  RawRequest("GET / HTTP/1\r\n", "400 malformed_version at 6"),
  RawRequest("GET / \r\n", "400 malformed_version at 6"),
]

private let refusedTargets: [RawRequest] = [
  RawRequest("GET a HTTP/1.1\r\n", "400 malformed_target at 4"),
  RawRequest("GET a:80 HTTP/1.1\r\n", "400 malformed_target at 4"),
  RawRequest("GET * HTTP/1.1\r\n", "400 malformed_target at 4"),
  RawRequest("OPTIONS ** HTTP/1.1\r\n", "400 malformed_target at 8"),
  RawRequest("GET ftp://a/ HTTP/1.1\r\n", "400 malformed_target at 4"),
  RawRequest("GET http:///b HTTP/1.1\r\n", "400 malformed_target at 11"),
  RawRequest("GET http://u@a/ HTTP/1.1\r\n", "400 malformed_target at 11"),
  RawRequest("GET http://a HTTP/1.1\r\n", "400 malformed_target at 11"),
  RawRequest("GET /a#b HTTP/1.1\r\n", "400 malformed_target at 6"),
  RawRequest("GET /?a#b HTTP/1.1\r\n", "400 malformed_target at 7"),
  RawRequest("GET /a\\b HTTP/1.1\r\n", "400 malformed_target at 6"),
  RawRequest("GET /\u{0} HTTP/1.1\r\n", "400 malformed_target at 5"),
  RawRequest("GET /\u{e9} HTTP/1.1\r\n", "400 malformed_target at 5"),
  RawRequest("GET /?\u{7f} HTTP/1.1\r\n", "400 malformed_target at 6"),
  RawRequest("GET /?abcdefgh%2ijklmnop\t HTTP/1.1\r\n", "400 malformed_target at 24"),
  RawRequest("GET /%zz?abcdefghijk#lmn HTTP/1.1\r\n", "400 malformed_target at 20"),
  RawRequest("GET /%00 HTTP/1.1\r\n", "400 malformed_percent_encoding at 4"),
  RawRequest("GET /?%00 HTTP/1.1\r\n", "400 malformed_percent_encoding at 4"),
  RawRequest("GET /%2 HTTP/1.1\r\n", "400 malformed_percent_encoding at 4"),
  RawRequest("GET /%zz HTTP/1.1\r\n", "400 malformed_percent_encoding at 4"),
  RawRequest("GET /%C0%AF HTTP/1.1\r\n", "400 malformed_percent_encoding at 4"),
  RawRequest("GET /%E0%80%AF HTTP/1.1\r\n", "400 malformed_percent_encoding at 4"),
  RawRequest("GET /%ED%A0%80 HTTP/1.1\r\n", "400 malformed_percent_encoding at 4"),
  RawRequest("GET /?a=%FF HTTP/1.1\r\n", "400 malformed_percent_encoding at 4"),
]

private let refusedFields: [RawRequest] = [
  RawRequest(get + " X: a\r\n\r\n", "400 folded_line at 25"),
  RawRequest(get + "X: a\r\n\tb\r\n\r\n", "400 folded_line at 31"),
  RawRequest("GET / HTTP/1.1\r\n Host: a\r\n\r\n", "400 folded_line at 16"),
  RawRequest(get + "X : a\r\n\r\n", "400 malformed_field_name at 26"),
  RawRequest(get + "X\r\n\r\n", "400 malformed_field_name at 26"),
  RawRequest(get + ": a\r\n\r\n", "400 malformed_field_name at 25"),
  RawRequest(get + "X(: a\r\n\r\n", "400 malformed_field_name at 26"),
  RawRequest(get + "X\u{0}: a\r\n\r\n", "400 malformed_field_name at 26"),
  RawRequest(get + "X: \u{0}\r\n\r\n", "400 malformed_field_value at 28"),
  RawRequest(get + "X: \u{1b}\r\n\r\n", "400 malformed_field_value at 28"),
  RawRequest(get + "X: \u{7f}\r\n\r\n", "400 malformed_field_value at 28"),
  RawRequest("GET / HTTP/1.1\r\n\r\n", "400 missing_host at 16"),
  RawRequest(get + "Host: a\r\n\r\n", "400 repeated_host at 25"),
  RawRequest("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", "400 repeated_host at 25"),
  RawRequest("GET / HTTP/1.1\r\nHost:\r\n\r\n", "400 malformed_host at 16"),
  RawRequest("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "400 malformed_host at 16"),
  RawRequest("GET / HTTP/1.1\r\nHost: a,b\r\n\r\n", "GET /"),
  RawRequest("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "400 malformed_host at 16"),
  RawRequest("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", "400 malformed_host at 16"),
  RawRequest("GET / HTTP/1.1\r\nHost: a:x\r\n\r\n", "400 malformed_host at 16"),
  RawRequest("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", "400 malformed_host at 16"),
  RawRequest("GET / HTTP/1.1\r\nHost: [x]\r\n\r\n", "400 malformed_host at 16"),
  RawRequest("GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n", "400 conflicting_host at 33"),
  RawRequest(get + "Expect: 200-ok\r\n\r\n", "417 unknown_expectation at 25"),
]

private let refusedFraming: [RawRequest] = [
  RawRequest(post + "Content-Length: +3\r\n\r\n", "400 malformed_content_length at 26"),
  RawRequest(post + "Content-Length: -3\r\n\r\n", "400 malformed_content_length at 26"),
  RawRequest(post + "Content-Length: 3 3\r\n\r\n", "400 malformed_content_length at 26"),
  RawRequest(post + "Content-Length: 0x3\r\n\r\n", "400 malformed_content_length at 26"),
  RawRequest(post + "Content-Length: 3, 3\r\n\r\n", "400 malformed_content_length at 26"),
  RawRequest(post + "Content-Length:\r\n\r\n", "400 malformed_content_length at 26"),
  RawRequest(
    post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\n", "400 repeated_content_length at 45"),
  RawRequest(
    post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n", "400 repeated_content_length at 45"),
  RawRequest(post + "Content-Length: 99999999999\r\n\r\n", "413 content_too_large at 26"),
  RawRequest(
    post + "Content-Length: 99999999999999999999999999\r\n\r\n", "413 content_too_large at 26"),
  RawRequest(
    post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", "400 conflicting_framing at 73"),
  RawRequest(
    post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", "400 conflicting_framing at 73"),
  RawRequest(post + "Transfer-Encoding: gzip\r\n\r\n", "400 malformed_transfer_encoding at 51"),
  RawRequest(post + "Transfer-Encoding: identity\r\n\r\n", "400 malformed_transfer_encoding at 55"),
  RawRequest(post + "Transfer-Encoding: chunked, gzip\r\n\r\n", "400 malformed_transfer_encoding at 60"),
  RawRequest(post + "Transfer-Encoding: chunked, chunked\r\n\r\n", "400 malformed_transfer_encoding at 63"),
  RawRequest(post + "Transfer-Encoding: chunked;a=b\r\n\r\n", "400 malformed_transfer_encoding at 58"),
  RawRequest(post + "Transfer-Encoding: \u{b}chunked\r\n\r\n", "400 malformed_field_value at 45"),
  RawRequest(post + "Transfer-Encoding: , chunked\r\n\r\n", "400 malformed_transfer_encoding at 56"),
  RawRequest(post + "Transfer-Encoding:\r\n\r\n", "400 malformed_transfer_encoding at 46"),
  RawRequest(
    post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
    "400 malformed_transfer_encoding at 82"),
  RawRequest(post + "Transfer-Encoding: gzip, chunked\r\n\r\n", "501 unknown_transfer_coding at 60"),
  RawRequest(
    "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "400 transfer_encoding_before_http_11 at 45"),
]

private let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"
private let head = "POST / transfer-encoding=chunked"

private let refusedChunks: [RawRequest] = [
  RawRequest(chunked + "+3\r\nabc\r\n", head, "400 malformed_chunk_size at 56"),
  RawRequest(chunked + "-3\r\nabc\r\n", head, "400 malformed_chunk_size at 56"),
  RawRequest(chunked + "0x3\r\nabc\r\n", head, "400 malformed_chunk_size at 56"),
  RawRequest(chunked + " 3\r\nabc\r\n", head, "400 malformed_chunk_size at 56"),
  RawRequest(chunked + "3 \r\nabc\r\n", head, "400 malformed_chunk_size at 56"),
  RawRequest(chunked + "\r\nabc\r\n", head, "400 malformed_chunk_size at 56"),
  RawRequest(chunked + "fffffffffffffffff\r\n", head, "400 malformed_chunk_size at 56"),
  RawRequest(chunked + "ffffffff\r\n", head, "413 content_too_large at 56"),
  RawRequest(chunked + "3\nabc\r\n", head, "400 bare_line_feed at 57"),
  RawRequest(chunked + "3\r\nabc\n0\r\n\r\n", head, "content abc", "400 bare_line_feed at 62"),
  RawRequest(chunked + "3\r\nabcd\r\n", head, "content abc", "400 malformed_chunk_end at 62"),
  RawRequest(chunked + "3;\r\nabc\r\n", head, "400 malformed_chunk_extension at 57"),
  RawRequest(chunked + "3;a=\r\nabc\r\n", head, "400 malformed_chunk_extension at 57"),
  RawRequest(chunked + "3; a\r\nabc\r\n", head, "400 malformed_chunk_extension at 57"),
  RawRequest(chunked + "3;a=\"b\r\nabc\r\n", head, "400 malformed_chunk_extension at 57"),
  RawRequest(chunked + "3;a\rb\r\nabc\r\n", head, "400 malformed_chunk_extension at 59"),
  RawRequest(
    chunked + "3;" + String(repeating: "a", count: 300), head, "400 malformed_chunk_extension at 56"),
  RawRequest(chunked + "0\r\nX : y\r\n\r\n", head, "400 malformed_field_name at 60"),
  RawRequest(chunked + "0\r\nX: y\n\r\n", head, "400 bare_line_feed at 63"),
]

private let all = accepted + refusedLines + refusedTargets + refusedFields + refusedFraming + refusedChunks

@Test(arguments: all)
func `a raw request has its outcome, in one piece and cut anywhere`(request: RawRequest) {
  let bytes = Array(request.raw.utf8)
  #expect(transcript(bytes) == request.outcome)
  for size in [1, 2, 3, 7] { #expect(transcript(bytes, pieces: size) == request.outcome) }
}

@Test(arguments: all)
func `a request cut in two has the outcome of the whole`(request: RawRequest) {
  let bytes = Array(request.raw.utf8)
  for cut in 1..<bytes.count { #expect(transcript(bytes, pieces: cut) == request.outcome) }
}

@Test func `limits on lines, heads and fields are exact`() {
  var limits = Limits()
  limits.requestLine = 20
  limits.head = 60
  limits.fieldCount = 2
  let outcome = { (raw: String) in
    let whole = transcript(Array(raw.utf8), limits: limits)
    #expect(transcript(Array(raw.utf8), pieces: 1, limits: limits) == whole)
    return whole
  }
  #expect(outcome("GET /678901 HTTP/1.1\r\nHost: a\r\n\r\n") == ["GET /678901"])
  #expect(outcome("GET /6789012 HTTP/1.1\r\nHost: a\r\n\r\n") == ["414 request_line_too_long at 0"])
  #expect(outcome("GET /6789012345678901234567890") == ["414 request_line_too_long at 0"])
  #expect(outcome("GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n") == ["GET / x=y"])
  #expect(outcome("GET / HTTP/1.1\r\nHost: a\r\nX:\r\nX:\r\n\r\n") == ["431 too_many_fields at 29"])
  let filler = String(repeating: "y", count: 32)
  #expect(outcome("GET / HTTP/1.1\r\nHost: a\r\nX: \(filler)\r\n\r\n") == ["GET / x=\(filler)"])
  #expect(outcome("GET / HTTP/1.1\r\nHost: a\r\nX: y\(filler)\r\n\r\n") == ["431 head_too_large at 25"])
}

@Test func `trailers count against the limits of a head`() {
  var limits = Limits()
  limits.fieldCount = 2
  let raw = chunked + "0\r\nA: b\r\nA: b\r\nA: b\r\n\r\n"
  #expect(transcript(Array(raw.utf8), limits: limits) == [head, "431 too_many_fields at 71"])
}

@Test func `content beyond the limit is refused before it is read`() {
  var limits = Limits()
  limits.content = 4
  let sized = post + "Content-Length: 5\r\n\r\n"
  #expect(transcript(Array(sized.utf8), limits: limits) == ["413 content_too_large at 26"])
  let pieces = chunked + "3\r\nabc\r\n2\r\n"
  #expect(
    transcript(Array(pieces.utf8), limits: limits) == [head, "content abc", "413 content_too_large at 64"])
}

@Test func `random changes to requests never depend on where the input is cut`() {
  var random = SeededGenerator(seed: 7)
  for _ in 0..<3_000 {
    var bytes = Array(all[Int(random.next() % UInt64(all.count))].raw.utf8)
    for _ in 0..<random.next() % 4 where !bytes.isEmpty {
      let index = Int(random.next() % UInt64(bytes.count))
      switch random.next() % 3 {
      case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes.remove(at: index)
      default: bytes.insert([0x0d, 0x0a, 0x20, 0x3a, 0x25][Int(random.next() % 5)], at: index)
      }
    }
    let whole = transcript(bytes)
    #expect(transcript(bytes, pieces: 1 + Int(random.next() % 9)) == whole, "\(bytes)")
  }
}
