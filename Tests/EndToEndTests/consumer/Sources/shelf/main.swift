import GatehouseAPI
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import GatehouseServer
import GatehouseStorage
import Glibc
import Model
import Query

// shelf DIRECTORY: a gateway with a function that asks this package's own Query; prints its address.
let store = try Store(directory: CommandLine.arguments[1])
let books = [Book(title: "Persuasion", pages: 249), Book(title: "Middlemarch", pages: 904)]
let functions = FunctionHost()
functions.register("longerThan", parameters: ["pages"]) { call in
  guard case .int32(let pages)? = call.arguments.first else {
    throw FunctionError.thrown(message: "pages is no number")
  }
  return .array(Query(longerThan: Int(pages)).titles(of: books).map { .string($0) })
}

var options = GatewayOptions()
options.policies.update { $0.hosts = HostPolicy(.loopback) }
options.functions = functions
let configuration = Configuration(addresses: [.ipv4(0x7F00_0001, port: 0)])
let server = HTTPServer(configuration: configuration) { [options] _ in
  try Gateway(store: store, options: options)
}
try server.start()
if let address = server.boundAddress { print("http://\(address)") }
fflush(nil)
while true { try await Task.sleep(for: .seconds(3600)) }
