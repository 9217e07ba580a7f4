import GatehouseAPI
import GatehouseHTTP
import GatehouseServer
import Testing

@testable import GatehouseApp

@Suite struct SettingValueTests {
  /// Returns the texts as the type writes them again; nil for those that it refuses.
  private func rewritten<Value: SettingValue>(_ type: Value.Type, _ texts: [String]) -> [String?] {
    texts.map { type.init(settingText: $0)?.settingText }
  }

  @Test func `words, numbers and switches are taken as they are written`() {
    #expect(
      rewritten(Int.self, ["0", "12", "007", "-1", "1.5", "", " 1"]) == ["0", "12", "7", nil, nil, nil, nil])
    #expect(rewritten(Bool.self, ["true", "false", "yes", "True"]) == ["true", "false", nil, nil])
    #expect(rewritten(String.self, ["a b", ""]) == ["a b", nil])
    #expect(rewritten(AuditMode.self, ["off", "onDemand", "on"]) == ["off", "onDemand", nil])
  }

  @Test func `names of hosts are in lower case, sorted and without ports`() {
    let texts = ["none", "any", "B.example,a.example", "[::1]", "a:80", "a,,b", "", "*.example", "a b"]
    #expect(
      rewritten(HostNames.self, texts)
        == ["none", "any", "a.example,b.example", "[::1]", nil, nil, nil, nil, nil])
  }

  @Test func `origins are spelt as browsers send them`() {
    let texts = [
      "none", "any", "https://b.example,http://a.example:8080", "https://A.example", "a.example", "https://",
      "https://a.example/", "://a", "https://a,",
    ]
    #expect(
      rewritten(PageOrigins.self, texts)
        == ["none", "any", "http://a.example:8080,https://b.example", nil, nil, nil, nil, nil, nil])
  }

  @Test func `addresses are those of sockets, in their order`() {
    let texts = ["none", "127.0.0.1:80,[::1]:8080,unix:/run/g", "127.0.0.1", "", "127.0.0.1:80,"]
    #expect(
      rewritten([SocketAddress].self, texts)
        == ["none", "127.0.0.1:80,[::1]:8080,unix:/run/g", nil, nil, nil])
  }

  @Test func `proxies are addresses, networks and unix`() {
    let texts = [
      "none", "10.0.0.0/8,::1,unix", "unix,fd00::/8", "192.0.2.1", "10.0.0.1/8", "localhost", "",
      "10.0.0.0/8,",
    ]
    #expect(
      rewritten(TrustedProxies.self, texts)
        == ["none", "10.0.0.0/8,::1/128,unix", "fd00::/8,unix", "192.0.2.1/32", nil, nil, nil, nil])
  }

  @Test func `conditional writes are asked of no class, of all, or of some`() {
    let texts = ["none", "all", "B,A", "A,", ""]
    #expect(rewritten(ConditionalWrites.self, texts) == ["none", "all", "A,B", nil, nil])
  }

  @Test func `recorded accesses name each class once, with what is recorded of it`() {
    let texts = [
      "none", "B:write,A:read+write", "A:write+read", "A", "A:", "A:look", ":read", "A:read,A:write",
    ]
    #expect(
      rewritten(AuditedClasses.self, texts)
        == ["none", "A:read+write,B:write", "A:read+write", nil, nil, nil, nil, nil])
  }

  @Test func `recorded events are of the kinds that belong to no class`() {
    let texts = ["none", "schema,refused", "function,authentication", "write", "", "schema,"]
    #expect(
      rewritten(AuditedEvents.self, texts)
        == ["none", "refused,schema", "authentication,function", nil, nil, nil])
  }

  @Test func `recorded details keep their order, each once`() {
    let all = AuditDetail.allCases.map(\.rawValue)
    let reversed = all.reversed().joined(separator: ",")
    let twice = [all.first, all.first].compactMap(\.self).joined(separator: ",")
    #expect(
      rewritten(AuditedDetails.self, ["none", reversed, twice, "nope"]) == ["none", reversed, nil, nil])
  }

  @Test func `the access log is off, on a stream or in a file`() {
    let texts = ["off", "stderr", "/var/log/access", ""]
    #expect(rewritten(AccessLog.Place.self, texts) == ["off", "stderr", "/var/log/access", nil])
  }

  @Test(arguments: [
    ("0.0.0.0:80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("192.0.2.1:80", "192.0.2.1:80"),
    ("unix:/run/g", "unix:/run/g"),
  ])
  func `a wildcard address is reached at the loopback one`(text: String, local: String) throws {
    #expect(try SocketAddress(text).local.description == local)
  }
}
