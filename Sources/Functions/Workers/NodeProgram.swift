internal import GatehouseBSON

/// Runs JavaScript functions in Node: a few lines on its command line read the rest from the channel.
struct NodeProgram {
  private let configuration: FunctionConfiguration
  private let directory: String

  /// Bytes of Node's memory beside its heap: code, stacks, buffers of its own.
  private static let overhead: UInt64 = 192 << 20
  /// The most characters that one call may print on its console.
  private static let consoleSize: Int32 = 65_536

  init(_ configuration: FunctionConfiguration, directory: String) {
    self.configuration = configuration
    self.directory = directory
  }

  /// - Parameter faults: the reasons why files of values and environments cannot be taken.
  func program(
    running functions: [String: Function], faults: Document
  ) throws(FunctionError) -> WorkerProgram {
    guard let path = ProgramPath.find(configuration.node, from: directory) else {
      throw .runtimeMissing(program: configuration.node)
    }
    let arguments = [
      "node", "--max-old-space-size=\(configuration.memoryLimit)", "-e",
      String(decoding: PackageResources.bootstrap_js, as: UTF8.self),
    ]
    return WorkerProgram(
      path: path, arguments: arguments, directory: directory, environment: ProgramPath.environment,
      framing: .frames, setup: Frame(kind: .setup, payload: setup(functions, faults)),
      memory: UInt64(configuration.memoryLimit) << 20 + Self.overhead, startsProcesses: false)
  }

  private func setup(_ functions: [String: Function], _ faults: Document) -> [UInt8] {
    var files = Document()
    for function in functions.values where function.runtime == .node && !function.isDisabled {
      if case .file(let file) = function.source { files.append(function.name, .string(file)) }
    }
    let system = functions.values.filter(\.runsAsSystem).map(\.name).sorted()
    let sources = Self.sources.map {
      Document.Element(key: $0, value: .string(String(decoding: $1, as: UTF8.self)))
    }
    var setup: Document = [
      "sources": .document(Document(sources)), "directory": .string(directory),
      "environment": .string(configuration.environment), "functions": .document(files),
      "systemFunctions": .array(system.map { .string($0) }),
      "faults": .document(faults),
      "resultBytes": .int64(Int64(configuration.resultSize)), "consoleBytes": .int32(Self.consoleSize),
    ]
    if let refused = configuration.refusedAddresses {
      let texts = { (ranges: [String]) in Value.array(ranges.map { .string($0) }) }
      setup.append(
        "outbound", ["special": texts(refused.special), "allowed": texts(refused.exceptions)])
    }
    return Value.document(setup).plainJSON
  }

  private static var sources: [(String, [UInt8])] {
    [
      ("tag", PackageResources.tag_js), ("types", PackageResources.types_js),
      ("bson", PackageResources.bson_js),
      ("ejson", PackageResources.ejson_js), ("calls", PackageResources.calls_js),
      ("channel", PackageResources.channel_js), ("problem", PackageResources.problem_js),
      ("realm", PackageResources.realm_js), ("mongodb", PackageResources.mongodb_js),
      ("users", PackageResources.users_js), ("utils", PackageResources.utils_js),
      ("http", PackageResources.http_js),
      ("response", PackageResources.response_js), ("context", PackageResources.context_js),
      ("functions", PackageResources.functions_js),
      ("worker", PackageResources.worker_js),
    ]
  }
}
