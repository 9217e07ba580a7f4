import Testing

@testable import GatehouseCluster

struct LogLocationTests {
  private func nats(_ text: String) throws -> NATSOptions? {
    guard case .nats(let options) = try LogLocation(text).servers else { return nil }
    return options
  }

  @Test func `three names are all that there has to be`() throws {
    let location = try LogLocation("nats://n1,n2,n3")
    let options = try #require(try nats("nats://n1,n2,n3"))
    #expect(options.addresses.map(\.description) == ["n1:4222", "n2:4222", "n3:4222"])
    #expect(options.monitoring.map(\.description) == ["n1:8222", "n2:8222", "n3:8222"])
    #expect(options.name.text == "gatehouse" && options.replicas == 3 && !options.usesTLS)
    #expect(!location.allowsSingleServer && location.credentialsFile == nil)
    guard case .none = options.credentials else {
      Issue.record("there are no credentials")
      return
    }
  }

  @Test func `a user, ports, a name and parameters may be said`() throws {
    let options = try #require(
      try nats("tls://u:p:w@rd@n1:1,[::1]:2/shop?monitor=9&authorities=/ca.pem"))
    #expect(options.addresses.map(\.description) == ["n1:1", "[::1]:2"])
    #expect(options.monitoring.map(\.description) == ["n1:9", "[::1]:9"])
    #expect(options.name.text == "shop" && options.usesTLS && options.authorities == "/ca.pem")
    guard case .password("u", "p:w@rd") = options.credentials else {
      Issue.record("another user")
      return
    }
    guard case .token("t0k") = try nats("nats://t0k@n1")?.credentials else {
      Issue.record("another token")
      return
    }
    let single = try LogLocation("nats://127.0.0.1?single=yes&credentials=/a.creds")
    #expect(try single.mayBegin && !LogLocation("etcd://e1,e2,e3?begin=no").mayBegin)
    #expect(single.allowsSingleServer && single.credentialsFile == "/a.creds")
    #expect(try nats("nats://127.0.0.1?single=yes")?.replicas == 1)
  }

  @Test func `the log of an app is beside that of the default database, and small`() throws {
    guard case .nats(let options) = try LogLocation("nats://n1/shop").ofApp("0a1b").servers,
      case .etcd(let other) = try LogLocation("etcd://e1").ofApp("0a1b").servers
    else {
      Issue.record("another kind")
      return
    }
    #expect(options.name.text == "shop-0a1b" && options.logSize == 64 << 20)
    #expect(other.name.text == "gatehouse-0a1b")
  }

  @Test func `etcd is the other kind`() throws {
    guard case .etcd(let options) = try LogLocation("etcds://u:p@e1,e2,e3/shop").servers else {
      Issue.record("another kind")
      return
    }
    #expect(options.addresses.map(\.description) == ["e1:2379", "e2:2379", "e3:2379"])
    #expect(options.usesTLS && options.user?.name == "u" && options.user?.password == "p")
  }

  @Test(
    arguments: [
      ("n1,n2", .unknownScheme), ("http://n1", .unknownScheme), ("nats://", .malformedHost("")),
      ("nats://n1,,n2", .malformedHost("")), ("nats://n 1", .malformedHost("n 1")),
      ("nats://n1:x", .malformedHost("n1:x")), ("nats://n1/", .malformedName),
      ("nats://n1/a.b", .malformedName), ("nats://n1?x=1", .unknownParameter("x")),
      ("nats://n1?single=1", .malformedParameter("single")),
      ("nats://n1?monitor=0", .malformedParameter("monitor")),
      ("nats://n1?credentials=a", .malformedParameter("credentials")),
      ("etcd://n1?credentials=/a", .unknownParameter("credentials")),
    ] as [(String, LogLocationError)])
  func `a text that is no location is refused by what is wrong with it`(
    text: String, error: LogLocationError
  ) {
    #expect(throws: error) { try LogLocation(text) }
  }
}
