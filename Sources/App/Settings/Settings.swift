import GatehouseAPI
import GatehouseAudit
import GatehouseHTTP
import GatehouseServer
import GatehouseStorage

/// All settings, with the values in force.
struct Settings: Sendable {
  var data = "data"
  var listen = [SocketAddress.ipv4(0x7F00_0001, port: 8080)]
  var tlsListen: [SocketAddress] = []
  var tlsCertificate = ""
  var tlsKey = ""
  var adminKey = ""
  var cluster = ""
  var clusterAddress = ""
  var proxies = TrustedProxies()
  var proxyProtocol = false
  var hosts = HostNames.names([])
  var corsOrigins = PageOrigins.none
  var corsCredentials = false
  var corsMaxAgeSeconds = 600
  var eventLoops = 0
  var scheduling = Scheduling.batch
  var accessLog = AccessLog.Place.standardError
  var slowQueryMilliseconds = 1_000
  var serverTiming = false
  var compression = true
  var hosting = ""
  var hostingFallback = ""
  var tracesEndpoint = ""
  var tracesHeaders = ""
  var tracesPercent = 100
  var outboundRanges = OutboundRanges()
  var mailServer = ""
  var mailUser = ""
  var mailPassword = ""
  var mailSender = ""
  var mailCertificates = ""
  var connections = 16_384
  var connectionsPerAddress = 4_096
  var requestsPerSecond = 0
  var requestBurst = 0
  var requestLineBytes = 16_384
  var headBytes = 32_768
  var fields = 100
  var headSeconds = 10
  var progressSeconds = 15
  var progressBytes = 4_096
  var requestsPerConnection = 1_000_000
  var pipelinedRequests = 128
  var bufferedOutputBytes = 65_536
  var contentBytes = 16 << 20
  var streamBytes = 64 << 30
  var objectBytes = 16 << 20
  var bulkObjects = 250_000
  var writeSeconds = 30
  var requireIfMatch = ConditionalWrites.optional
  var durability = Durability.full
  var idleSeconds = 75
  var drainSeconds = 0
  var shutdownSeconds = 10
  var dataSource = ""
  var defaultApp = "default"
  var mostApps = 10_000
  var openApps = 64
  var groupStores = 256
  var appIdleSeconds = 300
  var functionsDirectory = ""
  var functionsNode = "node"
  var functionsWorkers = 8
  var functionsQueue = 1000
  var functionsCallsPerWorker = 100_000
  var functionsSeconds = 300
  var functionsMegabytes = 256
  var functionsResultBytes = 16 << 20
  var functionsEnvironment = ""
  var functionsLog = true
  var anonymousUsers = 100_000
  var newUsersPerAddress = 1_000
  var anonymousDays = 60
  var querySeconds = 10
  var reserveMegabytes = 32
  var memoryMegabytes = 1_024
  var uploadMegabytes = 0
  var queuedQueries = 256
  var queuedWrites = 8_192
  var schemaApplication = SchemaApplication.off
  var backupTo = ""
  var logDays = 30
  var logMegabytes = 1024
  var eventSubscribers = 65_536
  var eventSubscribersPerAddress = 4_096
  var eventQueueBytes = 1 << 20
  var eventHeartbeatSeconds = 15
  var eventLifetimeSeconds = 3_600
  var audit = AuditMode.onDemand
  var auditAlways = AuditedClasses()
  var auditEvents = AuditedEvents()
  var auditDetails = AuditedDetails()
  var auditScopeSeconds = 3_600
  var auditEventBytes = 65_536
  var auditEventsPerMinute = 600
  var auditDays = 0
  /// Where they were read, and the state of the file before; nil: nowhere.
  var origin: (sources: SettingsSources, stamp: FileStamp)?
  /// `serve --dev`, which no file and no variable says.
  var isDevelopment = false

  /// Where the settings are looked for when no file is named and the data directory has none, from the working directory.
  static let defaultFile = "Config/gatehouse.json"
  /// The member by which a file names its JSON Schema, for editors.
  static let schemaMember = "$schema"
}
