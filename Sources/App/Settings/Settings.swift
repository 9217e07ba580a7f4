import API
import Server

/// Everything that can be set, with the values in force.
struct Settings: Sendable {
  var data = "data"
  var listen = SocketAddress.ipv4(0x7F00_0001, port: 8080)
  var allowRemoteWithoutAccessControl = false
  var hosts = HostNames.names([])
  var corsOrigins = PageOrigins.none
  var corsCredentials = false
  var corsMaxAgeSeconds = 600
  var eventLoops = 0
  var connections = 16_384
  var connectionsPerAddress = 4_096
  var contentBytes = 16 << 20
  var streamBytes = 64 << 30
  var requireIfMatch = Gateway.ConditionalWrites.optional
  var idleSeconds = 75
  var shutdownSeconds = 10
  var functionsDirectory = ""
  var functionsNode = "node"
  var functionsWorkers = 8
  var functionsQueue = 1000
  var functionsSeconds = 300
  var functionsMegabytes = 256
  var functionsResultBytes = 16 << 20
  var functionsEnvironment = ""
  var functionsLog = true
  var querySeconds = 10
  var logDays = 30
  var logMegabytes = 1024

  /// Where the settings are looked for when no file is named, from the working directory.
  static let defaultFile = "Config/gatehouse.json"

  /// The one list of them: what is not here does not exist.
  static let table: [Setting] = [
    Setting("data", \.data, "DIR", help: "The data directory; created where there is none."),
    Setting(
      "listen", \.listen, "ADDR:PORT",
      help: "Where to listen; port 0 takes any free port, and unix:/path is a Unix-domain socket."),
    Setting(
      "allowRemoteWithoutAccessControl", \.allowRemoteWithoutAccessControl, "true|false",
      help: """
        Listen beyond this machine's loopback addresses. There is no access control yet: whoever can reach \
        the port can read, change and delete everything.
        """),
    Setting(
      "hosts", \.hosts, "any|NAME,NAME",
      help: """
        Names that requests may be addressed to (Host), beside those of this machine's loopback; with \
        allowRemoteWithoutAccessControl also beside addresses and names without a dot. Others are refused, so \
        that a web page cannot reach the server under a name of its own. none: no others.
        """),
    Setting(
      "cors.origins", \.corsOrigins, "none|any|ORIGIN,ORIGIN",
      help: "Web pages of other origins that may use the server, such as https://app.example.org."),
    Setting(
      "cors.credentials", \.corsCredentials, "true|false",
      help: "Whether those pages' cookies and other credentials may come along; not with any."),
    Setting(
      "cors.maxAgeSeconds", \.corsMaxAgeSeconds, "N",
      help: "How long browsers may remember what a page may do."),
    Setting(
      "eventLoops", \.eventLoops, "N",
      help: "Threads that answer requests, each with connections of its own; 0: one per processor."),
    Setting(
      "limits.connections", \.connections, "N", help: "Open connections; what comes on top is closed."),
    Setting(
      "limits.connectionsPerAddress", \.connectionsPerAddress, "N",
      help: "Open connections from one address (from one /64 network where it is IPv6)."),
    Setting("limits.contentBytes", \.contentBytes, "N", help: "The largest content of a request, in bytes."),
    Setting(
      "limits.streamBytes", \.streamBytes, "N",
      help: "The largest stream of lines (NDJSON), in bytes; it is kept in the data directory meanwhile."),
    Setting(
      "limits.idleSeconds", \.idleSeconds, "N", help: "How long a connection may stay open without a request."
    ),
    Setting(
      "requireIfMatch", \.requireIfMatch, "none|all|CLASS,CLASS",
      help: "Objects that may only be replaced, changed or deleted with If-Match (or ifVersion)."),
    Setting(
      "limits.querySeconds", \.querySeconds, "N",
      help: "How long a query may take, for each page of its answer; 0: as long as it takes."),
    Setting(
      "log.days", \.logDays, "N",
      help: "How long the change log keeps changes; who comes back later begins anew. 0: for ever."),
    Setting(
      "log.megabytes", \.logMegabytes, "N",
      help: "About how large the change log may become before old changes leave it; 0: as large as it wants."),
    Setting(
      "functions.directory", \.functionsDirectory, "DIR",
      help: "The functions, in App Services' layout; “functions” in the data directory unless it is given."),
    Setting(
      "functions.node", \.functionsNode, "PATH",
      help: "The program that runs JavaScript functions (Node, 18 or later)."),
    Setting(
      "functions.workers", \.functionsWorkers, "N",
      help: "Processes for JavaScript functions, or for one program, and so calls at once."),
    Setting("functions.queue", \.functionsQueue, "N", help: "Calls that may wait for a process."),
    Setting(
      "functions.seconds", \.functionsSeconds, "N",
      help: "How long a call may take, unless the function's own time_limit_seconds says otherwise."),
    Setting("functions.megabytes", \.functionsMegabytes, "N", help: "Memory that a function may use."),
    Setting("functions.resultBytes", \.functionsResultBytes, "N", help: "The largest result, in bytes."),
    Setting(
      "functions.environment", \.functionsEnvironment, "NAME",
      help: "The environment whose values functions see: environments/NAME.json beside the functions."),
    Setting(
      "functions.log", \.functionsLog, "true|false",
      help: "Write a line for each call, and what functions say on their console, to standard error."),
    Setting(
      "shutdownSeconds", \.shutdownSeconds, "N",
      help: "How long requests may take to finish when the server is told to stop."),
  ]
}
