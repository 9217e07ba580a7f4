internal import Glibc
internal import Synchronization

/// The functions of a directory as it is at present, and the workers that run them.
final class FileFunctions: Sendable {
  private struct State: ~Copyable {
    var watch: DirectoryWatch
    var listing: Result<[String: Function], FunctionError>?
    var node: WorkerPool?
    var programs: [String: WorkerPool] = [:]
  }

  private let directory: FunctionsDirectory
  private let configuration: FunctionConfiguration
  private let state: Mutex<State>

  init(_ path: String, _ configuration: FunctionConfiguration) {
    let path = Self.absolute(path)
    directory = FunctionsDirectory(path: path)
    self.configuration = configuration
    state = Mutex(State(watch: DirectoryWatch(path)))
  }

  private static func absolute(_ path: String) -> String {
    let trimmed = path.hasSuffix("/") ? String(path.dropLast()) : path
    guard !trimmed.hasPrefix("/"), let folder = getcwd(nil, 0) else { return trimmed }
    defer { free(folder) }
    return "\(String(cString: folder))/\(trimmed)"
  }

  func functions() throws(FunctionError) -> [String: Function] {
    try state.withLock { (state) throws(FunctionError) in try self.listing(&state) }
  }

  /// Returns the function of that name and the pool that runs it; nil if there is none.
  func target(
    _ invocation: Invocation, _ origin: Invocation.Origin
  ) throws(FunctionError) -> (Function, WorkerPool)? {
    try state.withLock { (state) throws(FunctionError) in
      guard let function = try self.listing(&state)[invocation.name] else { return nil }
      try function.admit(invocation, origin)
      return (function, try self.pool(for: function, &state))
    }
  }

  /// The number of calls that wait for a worker.
  var waiting: Int {
    state.withLock { state in
      ([state.node].compactMap(\.self) + state.programs.values).reduce(0) { $0 + $1.waiting }
    }
  }

  func close() {
    state.withLock { state in Self.retire(&state) }
  }

  private func listing(_ state: inout State) throws(FunctionError) -> [String: Function] {
    if state.watch.hasChanged() {
      state.listing = nil
      Self.retire(&state)
    }
    if let listing = state.listing { return try listing.get() }
    let defaults = FunctionDefaults(
      timeLimit: configuration.timeLimit, memoryLimit: configuration.memoryLimit,
      concurrency: configuration.workers)
    let listing = Result { () throws(FunctionError) in try directory.functions(defaults: defaults) }
    state.listing = listing
    return try listing.get()
  }

  /// Replaces workers that have loaded files that changed; calls that they are busy with are finished first.
  private static func retire(_ state: inout State) {
    state.node?.retire()
    for pool in state.programs.values { pool.retire() }
    state.node = nil
    state.programs = [:]
  }

  private func pool(for function: Function, _ state: inout State) throws(FunctionError) -> WorkerPool {
    if function.runtime == .node {
      if let pool = state.node { return pool }
      let program = try NodeProgram(configuration, directory: directory.path)
        .program(running: try listing(&state), faults: directory.companionFaults())
      let pool = try WorkerPool(program, limits: limits(workers: configuration.workers))
      state.node = pool
      return pool
    }
    if let pool = state.programs[function.name] { return pool }
    let program = try CommandProgram(directory: directory.path).program(of: function)
    let pool = try WorkerPool(program, limits: limits(workers: function.concurrency ?? 1))
    state.programs[function.name] = pool
    return pool
  }

  private func limits(workers: Int) -> PoolLimits {
    PoolLimits(
      workers: workers, queue: configuration.queue, result: configuration.resultSize,
      calls: configuration.callsPerWorker)
  }
}
