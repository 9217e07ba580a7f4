import CGatehouseSimulation
import Glibc

/// Runs simulations, each in a process of its own, which begins as all others do.
struct Runner {
  private var first: UInt64 = 1
  private var seeds: UInt64 = 100
  private var processes = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  private var seconds: Int?
  private var replayed: UInt64?
  private var minimizes = false
  private var isVerbose = false
  private var stopsAtFailure = false
  private var settings: [(String, Int)] = []
  private var isWrong = false

  init(_ arguments: ArraySlice<String>) {
    var rest = arguments
    while let argument = rest.popFirst() {
      switch argument {
      case "--minimize": minimizes = true
      case "--trace": isVerbose = true
      case "--first-failure": stopsAtFailure = true
      default:
        guard argument.hasPrefix("--"), let value = rest.popFirst(), let number = UInt64(value) else {
          isWrong = true
          continue
        }
        switch argument {
        case "--first": first = number
        case "--seeds": seeds = number
        case "--processes": processes = max(1, Int(number))
        case "--seconds": seconds = Int(number)
        case "--hours": seconds = Int(number) * 3600
        case "--replay": replayed = number
        default: settings.append((String(argument.dropFirst(2)), Int(number)))
        }
      }
    }
  }

  func run() -> Int32 {
    guard !isWrong else {
      say("Unknown argument; see Scripts/simulate.")
      return 2
    }
    if let replayed { return replay(replayed) }
    return runAll()
  }

  private func scenario(_ seed: UInt64) -> Scenario {
    var scenario = Scenario(seed: seed)
    for (name, value) in settings { scenario.set(name, value) }
    return scenario
  }

  // Many seeds

  private func runAll() -> Int32 {
    let start = time(nil)
    let totals = Totals()
    var running: [pid_t: UInt64] = [:]
    var next = first
    var failed: [UInt64] = []
    while true {
      let isLate = seconds.map { time(nil) - start >= $0 } ?? false
      let mayBegin = next < first + seeds && !isLate && !(stopsAtFailure && !failed.isEmpty)
      if mayBegin, running.count < processes {
        running[begin(scenario(next), totals, .none)] = next
        next += 1
        continue
      }
      guard !running.isEmpty else { break }
      let (process, outcome) = awaitOne()
      guard let seed = running.removeValue(forKey: process) else { continue }
      guard outcome != 0 else { continue }
      failed.append(seed)
      if outcome != 1 { say("seed \(seed): ended by \(Runner.reason(outcome))") }
    }
    let elapsed = max(1, time(nil) - start)
    say(
      "\(next - first) seeds in \(elapsed) s, \(failed.count) failed\(failed.isEmpty ? "" : ": \(failed.sorted())"); \(totals)"
    )
    if minimizes, let seed = failed.min() { minimize(scenario(seed)) }
    return failed.isEmpty ? 0 : 1
  }

  /// Runs a scenario in a process of its own.
  private func begin(
    _ scenario: Scenario, _ totals: Totals, _ tracing: Simulation.Tracing, isQuiet: Bool = false
  ) -> pid_t {
    let process = fork()
    guard process == 0 else { return process }
    // The clock of the simulation stands still in a loop that never ends, and where threads wait for each other in the system: the
    // former takes time of the processor, which a busy machine gives to others for long.
    sim_limit_time(120)
    alarm(1_200)
    // Threads that give each other the turn do so much faster where none has to wake up another processor.
    sim_pin(UInt32(truncatingIfNeeded: scenario.seed) % UInt32(processes))
    Simulation.tracing = tracing
    let directory = "\(Runner.scratch)/simulate-\(String(Int(getpid()) + 10_000_000))"
    mkdir(directory, 0o700)
    let failures = Simulation.run(scenario, at: directory)
    if !isQuiet { for failure in failures { say("\(scenario)\n  \(failure)") } }
    totals.add(steps: Simulation.scheduler.steps)
    totals.kind = failures.first.map(Runner.kind) ?? 0
    Runner.remove(directory)
    _exit(failures.isEmpty ? 0 : 1)
  }

  private func awaitOne() -> (process: pid_t, outcome: Int32) {
    var status: Int32 = 0
    let process = waitpid(-1, &status, 0)
    Runner.remove("\(Runner.scratch)/simulate-\(Int(process) + 10_000_000)")
    return (process, status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f))
  }

  private static func reason(_ outcome: Int32) -> String {
    switch -outcome {
    case SIGALRM, SIGPROF: "the time that it may take"
    case SIGILL, SIGTRAP: "an assertion"
    case SIGSEGV, SIGBUS: "a wrong address"
    case SIGABRT: "abort()"
    default: "\(outcome)"
    }
  }

  // One seed

  private func replay(_ seed: UInt64) -> Int32 {
    let scenario = scenario(seed)
    say(scenario)
    let totals = Totals()
    _ = begin(scenario, totals, isVerbose ? .all : .none)
    let outcome = awaitOne().outcome
    say(
      "trace \(String(totals.trace, radix: 16)), \(totals)\(outcome == 0 ? "" : ", failed: \(Runner.reason(outcome))")"
    )
    if outcome != 0, minimizes { minimize(scenario) }
    return outcome == 0 ? 0 : 1
  }

  /// A number for failures that are told in the same words.
  private static func kind(of failure: String) -> UInt64 {
    let words = failure.split(separator: " ").filter { !$0.contains(where: \.isNumber) }.prefix(7)
    return words.joined(separator: " ").utf8.reduce(0xcbf2_9ce4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
  }

  /// Makes a scenario that fails smaller for as long as it fails in the same way.
  private func minimize(_ scenario: Scenario) {
    let first = failure(of: scenario)
    var smallest = scenario
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in smallest.smaller {
        guard failure(of: candidate) == first else { continue }
        smallest = candidate
        isSmaller = true
        break
      }
    }
    say("smallest: \(smallest)\n  Scripts/simulate --replay \(smallest.seed) --trace \(smallest.arguments)")
    let totals = Totals()
    _ = begin(smallest, totals, isVerbose ? .all : .last(30))
    _ = awaitOne()
    say("trace \(String(totals.trace, radix: 16)), \(totals)")
  }

  /// The kind of a scenario's failure: that of the first one, or how its process ended; nil: there is none.
  private func failure(of scenario: Scenario) -> UInt64? {
    let totals = Totals()
    _ = begin(scenario, totals, .none, isQuiet: true)
    switch awaitOne().outcome {
    case 0: return nil
    case 1: return totals.kind
    case let outcome: return UInt64(bitPattern: Int64(outcome))
    }
  }

  // Files

  private static let scratch = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

  private static func remove(_ directory: String) {
    if access(directory, F_OK) == 0 { sim_remove_tree(directory) }
  }
}

/// The sums of all processes, in memory that they share.
struct Totals: CustomStringConvertible {
  private let words: UnsafeMutablePointer<UInt64>

  init() {
    // As few as there are runs to make one smaller: they stay mapped.
    let memory = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)!
    words = memory.bindMemory(to: UInt64.self, capacity: 8)
  }

  func add(steps: Int) {
    // Processes that end at the same time may lose a count: these are figures for people.
    words[0] += UInt64(steps)
    words[1] += sim_disk_calls()
    words[2] += sim_disk_failures()
    words[3] += sim_disk_lost()
    words[4] = sim_trace()
    words[5] += sim_now()
  }

  var trace: UInt64 { words[4] }
  /// Says which kind of failure the last process had.
  var kind: UInt64 {
    get { words[6] }
    nonmutating set { words[6] = newValue }
  }

  var description: String {
    "\(words[0]) steps, \(words[5] / 1_000_000_000) s of service, \(words[1]) calls of the disk, "
      + "\(words[2]) made to fail, \(words[3]) sectors lost"
  }
}
