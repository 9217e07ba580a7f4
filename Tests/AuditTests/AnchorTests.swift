import GatehouseModel
import Testing

@testable import GatehouseAudit

@Suite struct AnchorTests {
  private static let chain = String(repeating: "5a", count: 32)

  @Test func `an anchor is a line of JSON, which is read again`() {
    let anchor = Anchor(events: 500, chain: Self.chain)
    #expect(String(decoding: anchor.line, as: UTF8.self) == #"{"chain":"\#(Self.chain)","events":500}"#)
    #expect(Anchor(line: anchor.line) == anchor)
  }

  @Test(arguments: [
    (#"{"at":"2026-01-01","chain":"CHAIN","events":7,"by":"me"}"#, 7),
    (#"{"chain":"CHAIN","events":-1}"#, nil),
    (#"{"chain":"CHAIN"}"#, nil), (#"{"chain":"CHAIN0","events":7}"#, nil), (#"{"chain":7,"events":7}"#, nil),
    (#"["CHAIN",7]"#, nil), ("", nil), (#"{"chain":"CHAIN","events":"7"}"#, nil),
  ])
  func `a line is an anchor with both members, whatever else it has`(line: String, events: Int64?) {
    let bytes = Array(line.replacing("CHAIN", with: Self.chain).utf8)
    #expect(Anchor(line: bytes)?.events == events)
  }

  @Test(arguments: [
    ("audit-0000000000000000500.ndjson", 500), ("audit-9223372036854775807.ndjson", Int64.max),
    ("audit-9223372036854775808.ndjson", nil), ("audit-500.ndjson", nil), ("audit-0000000000000000500", nil),
    ("audit--000000000000000500.ndjson", nil), ("0000000000000000500.ndjson", nil),
  ])
  func `an archive's name has the key of its first event`(name: String, key: Int64?) {
    #expect(Archive.firstKey(ofFile: name) == key.map { ObjectKey($0) })
  }
}
