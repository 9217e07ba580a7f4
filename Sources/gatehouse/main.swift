import GatehouseApp
import Glibc

let arguments = CommandLine.arguments
let environment = Environment.current
SecretWiping.begin()
exit(await Program.run(arguments: arguments.dropFirst(), environment: environment))
