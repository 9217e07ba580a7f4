import App
import Glibc

exit(await Program.run(arguments: CommandLine.arguments.dropFirst(), environment: Environment.current))
