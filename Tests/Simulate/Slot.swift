import CGatehouseSimulation
import Glibc

/// A place for one run at a time, each in a process of its own.
///
/// That is a copy of one that has done nothing since the program began: so a run finds the same memory at the same addresses whatever has
/// been run before, and by which arguments. Sets and dictionaries of objects are in an order that depends on it.
struct Slot {
  /// The run, and what has become of it.
  struct Assignment {
    var scenario = Scenario(seed: 0)
    var tracing = Simulation.Tracing.none
    /// Whether nothing is said of failures.
    var isQuiet = false
    var processor: UInt32 = 0
    var report = Report()
  }

  private static let count = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  /// In memory that all processes share.
  nonisolated(unsafe) private static let assignments = {
    let size = count * MemoryLayout<Assignment>.stride
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)!
    let assignments = memory.bindMemory(to: Assignment.self, capacity: count)
    assignments.initialize(repeating: Assignment(), count: count)
    return assignments
  }()

  private let assignment: UnsafeMutablePointer<Assignment>
  private let ends: sim_slot

  /// Makes as many as there are processors. To be called before anything else is done.
  static func makeAll() -> [Slot] {
    let (assignments, ends) = (Self.assignments, UnsafeMutablePointer<sim_slot>.allocate(capacity: count))
    sim_make_slots(ends, Int32(count)) {
      Slot.assignments[Int($0)].run()
    } _: { _ in
      Slot.Assignment.warmUp()
    }
    return (0..<count).map { Slot(assignment: assignments + $0, ends: ends[$0]) }
  }

  /// Has the process run a world before all others, so that what Swift's runtime and the program look up once is there in the copies.
  /// Their addresses are others then, and the same each time. Called once, while no run has begun.
  func warmUp() {
    var byte: UInt8 = 0
    guard write(ends.requests, &byte, 1) == 1, read(ends.answers, &byte, 1) == 1 else {
      fatalError("a process has gone")
    }
  }

  /// Begins a run.
  func begin(_ assignment: Assignment) {
    self.assignment.pointee = assignment
    var byte: UInt8 = 1
    guard write(ends.requests, &byte, 1) == 1 else { fatalError("a process has gone") }
  }

  /// Waits for the end of the run; returns the exit status, or the number of the signal that has ended it, negative, and the report.
  func finish() -> (outcome: Int32, report: Report) {
    var answer: (process: Int32, status: Int32) = (0, 0)
    guard read(ends.answers, &answer, 8) == 8 else { fatalError("a process has gone") }
    Assignment.clear(answer.process)
    let status = answer.status
    return (status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f), assignment.pointee.report)
  }

  /// Waits for the first of these whose run has ended.
  static func awaitAny(of slots: [Slot]) -> Int {
    var waits = slots.map { pollfd(fd: $0.ends.answers, events: Int16(POLLIN), revents: 0) }
    while true {
      poll(&waits, nfds_t(waits.count), -1)
      if let index = waits.firstIndex(where: { $0.revents != 0 }) { return index }
    }
  }
}

extension Slot.Assignment {
  fileprivate mutating func run() {
    // The clock of the simulation stands still in a loop that never ends, and where threads wait for each other in the system: the
    // former takes time of the processor, which a busy machine gives to others for long.
    sim_limit_time(120)
    alarm(1_200)
    // Threads that give each other the turn do so much faster where none has to wake up another processor.
    sim_pin(processor)
    Simulation.tracing = tracing
    report = Report()
    let directory = Self.directory(getpid())
    mkdir(directory, 0o700)
    let failures = Simulation.run(scenario, at: directory)
    if !isQuiet { for failure in failures { say("\(scenario)\n  \(failure)") } }
    report = Report(of: failures)
    Self.clear(getpid())
    _exit(failures.isEmpty ? 0 : 1)
  }

  /// Runs a world of a bit of everything; whatever it finds is for others to find.
  fileprivate static func warmUp() {
    let directory = directory(getpid())
    mkdir(directory, 0o700)
    var scenario = Scenario(seed: 1)
    (scenario.clients, scenario.requests, scenario.crashes, scenario.faults) = (2, 10, 1, 0)
    (scenario.watchers, scenario.streams, scenario.hasIntruder) = (1, 1, true)
    (scenario.isAudited, scenario.hasUsers, scenario.hasConnections) = (true, true, true)
    (scenario.hasFunctions, scenario.hasTriggers, scenario.hasConditions) = (true, true, true)
    scenario.fitToNodes()
    _ = Simulation.run(scenario, at: directory)
    Simulation.end()
    clear(getpid())
  }

  private static let scratch = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

  private static func directory(_ process: pid_t) -> String {
    // As long in each process.
    "\(scratch)/simulate-\(Int(process) + 10_000_000)"
  }

  fileprivate static func clear(_ process: pid_t) {
    let directory = directory(process)
    if access(directory, F_OK) == 0 { sim_remove_tree(directory) }
  }
}

/// Figures of a run, or the sums of several.
struct Report: CustomStringConvertible {
  private var steps = 0
  private var nanoseconds: UInt64 = 0
  private var calls: UInt64 = 0
  private var failures: UInt64 = 0
  private var lost: UInt64 = 0
  /// The digest of all that the last run did.
  private(set) var trace: UInt64 = 0
  /// Says of which kind its failure is; 0: there is none.
  private(set) var kind: UInt64 = 0

  init() {}

  /// The figures of the run that this process has made.
  init(of texts: [String]) {
    (steps, nanoseconds, calls) = (Simulation.scheduler.steps, sim_now(), sim_disk_calls())
    (failures, lost, trace) = (sim_disk_failures(), sim_disk_lost(), sim_trace())
    kind = texts.first.map(Self.kind) ?? 0
  }

  mutating func add(_ other: Report) {
    steps += other.steps
    nanoseconds += other.nanoseconds
    calls += other.calls
    failures += other.failures
    lost += other.lost
  }

  /// A number for failures that are told in the same words.
  private static func kind(of failure: String) -> UInt64 {
    let words = failure.split(separator: " ").filter { !$0.contains(where: \.isNumber) }.prefix(7)
    return words.joined(separator: " ").utf8.reduce(0xcbf2_9ce4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
  }

  var description: String {
    "\(steps) steps, \(nanoseconds / 1_000_000_000) s of service, \(calls) calls of the disk, "
      + "\(failures) made to fail, \(lost) sectors lost"
  }
}
