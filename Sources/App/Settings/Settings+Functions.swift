import GatehouseFunctions
import GatehouseOutbound
import GatehouseSharing
import GatehouseTelemetry

extension Settings {
  /// The settings of functions and their workers.
  static let functions: [Setting] = [
    Setting(
      "functions.directory", \.functionsDirectory, value: "DIR",
      help: "The functions, in App Services' layout; “functions” in the data directory unless it is given."),
    Setting(
      "functions.node", \.functionsNode, value: "PATH",
      help: "The program that runs JavaScript functions (Node, 18 or later)."),
    Setting(
      "functions.workers", \.functionsWorkers, value: "N",
      help: "Processes for JavaScript functions, or for one program, and so calls at once."),
    Setting("functions.queue", \.functionsQueue, value: "N", help: "Calls that may wait for a process."),
    Setting(
      "functions.callsPerWorker", \.functionsCallsPerWorker, value: "N", least: 1,
      help: "Calls after which a process is replaced; 1: each call has one of its own."),
    Setting(
      "functions.seconds", \.functionsSeconds, value: "N",
      help: "How long a call may take, unless the function's own time_limit_seconds says otherwise."),
    Setting("functions.megabytes", \.functionsMegabytes, value: "N", help: "Memory that a function may use."),
    Setting(
      "functions.resultBytes", \.functionsResultBytes, value: "N", help: "The largest result, in bytes."),
    Setting(
      "functions.environment", \.functionsEnvironment, value: "NAME",
      help: "The environment whose values functions see: environments/NAME.json beside the functions."),
    Setting(
      "functions.log", \.functionsLog, value: "true|false",
      help: "Write a line for each call, and what functions say on their console, to the access log."),
  ]

  func functionConfiguration(
    log: (@Sendable ([UInt8]) -> Void)?, metrics: Registry, memory: SharedBudget? = nil
  ) -> FunctionConfiguration {
    var configuration = FunctionConfiguration()
    configuration.memory = memory
    configuration.directory =
      functionsDirectory.isEmpty ? DataFile.functions.path(in: data) : functionsDirectory
    configuration.node = functionsNode
    configuration.workers = max(1, functionsWorkers)
    configuration.queue = functionsQueue
    configuration.callsPerWorker = functionsCallsPerWorker
    configuration.timeLimit = max(1, functionsSeconds)
    configuration.memoryLimit = max(16, functionsMegabytes)
    configuration.resultSize = functionsResultBytes
    configuration.environment = functionsEnvironment
    configuration.metrics = metrics
    configuration.refusedAddresses = FunctionConfiguration.RefusedAddresses(
      special: AddressPolicy.specialRanges, exceptions: outboundRanges.texts)
    if functionsLog, let log { configuration.log = log }
    return configuration
  }
}
