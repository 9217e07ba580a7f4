import GatehouseBSON
import GatehouseCrypto
import Testing

@testable import GatehouseCluster

/// The small values of NATS: keys, credentials, addresses, answers.
struct NATSValueTests {
  /// The example of the documentation of NKeys.
  private static let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
  private static let publicKey = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"

  @Test func `a seed has the public key and the signatures that others compute`() throws {
    let key = try #require(NKey(seed: NATSValueTests.seed))
    #expect(key.publicKey == NATSValueTests.publicKey)
    // By Python's cryptography.
    let signature = """
      0157e93bb3f0deb739ea1a0ed4e25c1715d409f0663b6aa8b9c8417214a52f8e45baeafdcd2d79533cad108d500b9c30546eee88\
      721dab27e6392eae3ebc2a0a
      """
    #expect(
      key.sign(Array("nonce".utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        == signature
    )
  }

  @Test func `a text with a letter that is wrong is no seed`() {
    let letters = Array(NATSValueTests.seed)
    for index in letters.indices {
      var other = letters
      other[index] = other[index] == "A" ? "B" : "A"
      #expect(NKey(seed: String(other)) == nil)
    }
    for text in [
      "", NATSValueTests.publicKey, NATSValueTests.seed + "A", NATSValueTests.seed.lowercased(),
    ] {
      #expect(NKey(seed: text) == nil)
    }
  }

  @Test func `RFC 8032's first key signs nothing as it says`() throws {
    let seed = try #require(
      Ed25519Seed([
        0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c,
        0xc4, 0x44,
        0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
      ]))
    #expect(seed.publicKey.starts(with: [0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7]))
    #expect(seed.sign([]).starts(with: [0xe5, 0x56, 0x43, 0x00, 0xc3, 0x60, 0xac, 0x72]))
    #expect(Ed25519Seed([1, 2, 3]) == nil)
  }

  @Test func `a file of credentials has a token and a seed`() throws {
    let file = """
      -----BEGIN NATS USER JWT-----
      eyJ0.e30.c2ln
      ------END NATS USER JWT------

      ************************* IMPORTANT *************************
      -----BEGIN USER NKEY SEED-----
      \(NATSValueTests.seed)
      ------END USER NKEY SEED------
      """
    guard case .userToken("eyJ0.e30.c2ln", let key) = NATSCredentials(file: file) else {
      Issue.record("not read")
      return
    }
    #expect(key.publicKey == NATSValueTests.publicKey)
    #expect(NATSCredentials(file: file.replacing("SUAC", with: "SUAB")) == nil)
    #expect(NATSCredentials(file: "-----BEGIN NATS USER JWT-----") == nil)
    #expect(NATSCredentials(file: "") == nil)
  }

  @Test(
    arguments: [
      ("n1:4222", "n1", 4222), ("127.0.0.1:1", "127.0.0.1", 1), ("[::1]:4222", "::1", 4222),
      ("n1", nil, 0), ("n1:0", nil, 0), ("n1:99999", nil, 0), (":4222", nil, 0),
      ("::1:4222", nil, 0),
      ("a b:1", nil, 0), ("a\n:1", nil, 0),
    ] as [(String, String?, UInt16)])
  func `an address is a host and a port`(text: String, host: String?, port: UInt16) {
    let address = ServerAddress(hostAndPort: text)
    #expect(address?.host == host)
    if let address {
      #expect(address.port == port)
      #expect("\(address)" == text)
    }
  }

  @Test func `a server's first message names the others, as many as a cluster has`() throws {
    let urls = (0..<100).map { "\"10.0.0.\($0):4222\"" }.joined(separator: ",")
    let json = """
      {"server_id":"x","version":"2.15.1","max_payload":1048576,"tls_required":true,"nonce":"abc",
      "connect_urls":["nonsense",\(urls)]}
      """
    let info = try #require(ServerInfo(Array(json.utf8)))
    #expect(info.version == "2.15.1" && info.maximumPayload == 1_048_576 && info.requiresTLS)
    #expect(info.nonce == "abc")
    #expect(info.addresses.count == 63)
    #expect(info.addresses.first == ServerAddress(hostAndPort: "10.0.0.0:4222"))
    #expect(ServerInfo(Array("{}".utf8)) == nil)
    #expect(ServerInfo([0xFF]) == nil)
  }

  @Test func `answers of JetStream are documents or errors`() throws {
    guard
      case .failure(let error) = StreamAnswer(
        Array(
          #"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 17"},"seq":0}"#
            .utf8))
    else {
      Issue.record("no error")
      return
    }
    #expect(error == StreamError(status: 400, code: 10_071, text: "wrong last sequence: 17"))
    #expect(error.lastSequence == 17)
    #expect(StreamError(status: 400, code: 10_164, text: "wrong last sequence").lastSequence == nil)
    #expect(StreamError(status: 500, code: 10_077, text: "x: 5").lastSequence == nil)
    #expect(StreamAnswer([1]) == nil)
    #expect(StreamAnswer(Array("[]".utf8)) == nil)
    guard case .success(let document) = StreamAnswer(Array(#"{"stream":"s","seq":9}"#.utf8)) else {
      Issue.record("no success")
      return
    }
    #expect(document["seq"]?.number == 9)
  }

  @Test(
    arguments: [
      ("$JS.ACK.s.c.1.42.7.1700000000000000000.3", 42, 3), ("$JS.ACK._.h.s.c.1.42.7.17.3.r", 42, 3),
      ("$JS.ACK.s.c.1.42.7.17", nil, 0), ("$JS.ACK.s.c.1.x.7.17.3", nil, 0),
      ("a.b.s.c.1.42.7.17.3", nil, 0),
      ("$JS.ACK.s.c.1.18446744073709551615.7.17.3", nil, 0), ("", nil, 0),
      ("$JS.ACK.s.c.1.5.7.17.9223372036854775806", nil, 0), ("$JS.ACK.s.c.1.5.7.17.-1", nil, 0),
    ] as [(String, UInt64?, UInt64)])
  func `a message's place is in the subject of its acknowledgement`(
    reply: String, sequence: UInt64?, pending: UInt64
  ) {
    let place = StreamPlace(reply)
    #expect(place?.sequence == sequence)
    #expect(place == nil || place?.pending == pending)
  }

  @Test(arguments: [
    ("2.15.1", true), ("2.15.2", true), ("2.16.0", true), ("3.0.0", true), ("2.15.0", false),
    ("2.12.9", false), ("1.99.99", false), ("2.15.1-RC.1", false), ("2.16.0-beta", true),
    ("", false),
    ("2.15", false), ("2.x.1", false),
  ])
  func `an old server will not do`(version: String, isNew: Bool) {
    #expect(
      ServerVersion.defect(version) == (isNew ? nil : .version(found: version, needed: "2.15.1")))
  }

  @Test(
    arguments: [
      (
        #"{"version":"2.15.1","jetstream":{"config":{"sync_interval":120000000000,"sync_always":true}}}"#,
        []
      ),
      (
        #"{"version":"2.15.1","jetstream":{"config":{"sync_interval":120000000000}}}"#,
        [LogDefect.syncInterval("120.0 seconds")]
      ),
      (
        #"{"version":"2.14.0","jetstream":{"config":{"sync_always":true}}}"#,
        [.version(found: "2.14.0", needed: "2.15.1")]
      ),
      (#"{"version":"2.15.1","jetstream":{}}"#, [.syncUnknown]), ("", [.syncUnknown]),
    ] as [(String, [LogDefect])])
  func `a server proves when it syncs`(json: String, defects: [LogDefect]) {
    #expect(ServerMonitor.defects(varz: Array(json.utf8)) == defects)
  }

  @Test func `a stream's settings that lose entries are found`() throws {
    func state(_ change: (inout Document) -> Void) throws -> StreamState? {
      let requests = StreamRequests(try #require(LogName("l")))
      let options = NATSOptions(addresses: [], name: try #require(LogName("l")))
      var config = try #require(try Value(json: requests.settings(options), as: .plain).document)
      change(&config)
      let answer: Document = [
        "config": .document(config), "state": ["first_seq": .int32(0), "last_seq": .int32(0)],
        "cluster": [
          "leader": .string("n1"),
          "replicas": .array([["current": .bool(true)], ["current": .bool(false)]]),
        ],
      ]
      return StreamState(answer, subject: requests.subject)
    }
    let good = try #require(try state { _ in })
    #expect(good.defects == [] && good.hasLeader && good.currentReplicas == 2 && good.replicas == 3)
    #expect((good.first, good.last) == (1, 0))
    let changes: [(String, Value, LogDefect)] = [
      ("num_replicas", .int32(1), .replicas(1)), ("deny_delete", .bool(false), .deletable),
      ("retention", .string("workqueue"), .discards), ("discard", .string("new"), .discards),
      ("max_msgs_per_subject", .int32(1), .discards), ("storage", .string("memory"), .storage),
      ("subjects", .array([.string(">")]), .discards),
      ("max_msg_size", .int32(1_000), .small(1_000)),
    ]
    for (name, value, defect) in changes {
      let bad = try state { config in
        config = Document(
          config.elements.map { $0.key == name ? .init(key: name, value: value) : $0 })
      }
      #expect(bad?.defects == [defect], "\(name)")
    }
    let late = try state { $0.append("persist_mode", .string("async")) }
    #expect(late?.defects == [.syncInterval("persist_mode: async")])
  }
}
