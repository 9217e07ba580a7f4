import GatehouseModel
import GatehouseServer
import Testing

@testable import GatehouseApp

struct FirstScreenTests {
  static let schema = Schema([
    ObjectType(
      name: "Country",
      properties: [
        Property(name: "iso", type: .one(.string, optional: false)),
        Property(name: "name", type: .one(.string, optional: false)),
        Property(name: "area", type: .one(.double, optional: false)),
        Property(name: "population", type: .one(.int, optional: false), index: .general),
      ], primaryKey: "iso"),
    ObjectType(name: "Empty", properties: []),
  ])

  @Test func `it names the objects and a query that finds some`() {
    let screen = FirstScreen(
      listeners: [Listener(address: .ipv4(0, port: 8080))], schema: Self.schema,
      counts: [("Country", 252_000), ("Empty", 0)])
    #expect(
      screen.text == """
        Gatehouse \(ProductVersion.text) is listening at http://127.0.0.1:8080

          Country  252,000 objects
          Empty    0 objects

        Look at it in a browser: http://127.0.0.1:8080/console

        Try:
          curl http://127.0.0.1:8080/v1/collections
          curl http://127.0.0.1:8080/v1/collections/Country --get -d limit=1
          curl http://127.0.0.1:8080/v1/collections/Country --get --data-urlencode 'filter=name BEGINSWITH "G"' \
        -d sort=-population -d limit=3
          curl http://127.0.0.1:8080/openapi.yaml

        Ctrl-C stops it.

        """)
  }

  @Test func `an empty store is told how to get classes`() {
    let screen = FirstScreen(
      listeners: [Listener(address: .unix("/run/g"))], schema: Schema([]), counts: [])
    #expect(screen.text.contains("There are no classes yet.\n"))
    #expect(screen.text.contains("  curl --unix-socket /run/g http://localhost/openapi.yaml\n"))
    #expect(screen.text.contains("listening at unix:/run/g\n"))
    #expect(!screen.text.contains("browser"))
  }
}
