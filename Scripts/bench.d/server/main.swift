// The smallest application: what is left is what the server itself costs.
import Dispatch
import GatehouseHTTP
import GatehouseServer

struct Hello: Handler {
  let response = Response(
    status: .ok, fields: Fields([.init(name: "content-type", value: "text/plain")]),
    body: .bytes(Array("Hello, World!".utf8)))

  func respond(to request: Request) async -> Response { response }
}

Scheduling.batch.apply()
let port = CommandLine.arguments.dropFirst().first ?? "8080"
var configuration = Configuration(addresses: [try SocketAddress("127.0.0.1:\(port)")])
configuration.connectionsPerAddress = configuration.connections
let server = HTTPServer(configuration: configuration) { _ in Hello() }
try server.start()
dispatchMain()
