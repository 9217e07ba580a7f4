// A whole gateway in a program of one's own, with a function in Swift:
//
//     swift run example 8080 &
//     curl http://127.0.0.1:8080/v1/functions/sum -H 'Content-Type: application/json' -d '[1, 2, 3.5]'

import GatehouseAPI
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import GatehouseServer
import GatehouseStorage

let port = CommandLine.arguments.dropFirst().first.flatMap(UInt16.init) ?? 8080
let store = try Store(directory: "example-data")
let functions = FunctionHost()

functions.register("sum", parameters: ["numbers"]) { call in
  var sum = 0.0
  for argument in call.arguments {
    switch argument {
    case .int32(let number): sum += Double(number)
    case .int64(let number): sum += Double(number)
    case .double(let number): sum += number
    default: throw FunctionError.thrown(message: "sum wants numbers")
    }
  }
  return Int32(exactly: sum).map { .int32($0) } ?? .double(sum)
}

let configuration = Configuration(addresses: [.ipv4(0x7F00_0001, port: port)])
var options = GatewayOptions()
options.policies.update { $0.hosts = HostPolicy(.loopback) }
options.functions = functions
let server = HTTPServer(configuration: configuration) { [options] _ in
  try Gateway(store: store, options: options)
}
try server.start()
print("http://127.0.0.1:\(port)/v1/functions")
while true { try await Task.sleep(for: .seconds(3600)) }
