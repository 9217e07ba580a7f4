import CGatehouseSimulation
import Glibc

/// Runs simulations as the arguments of the program say.
struct Runner {
  private let slots: [Slot]
  private var first: UInt64 = 1
  private var seeds: UInt64 = 100
  private var processes: Int
  private var seconds: Int?
  private var replayed: UInt64?
  private var minimizes = false
  private var isVerbose = false
  private var stopsAtFailure = false
  private var sizes = Scenario.Sizes.full
  private var settings: [(String, Int)] = []
  private var isWrong = false

  init(_ slots: [Slot], _ arguments: ArraySlice<String>) {
    self.slots = slots
    processes = slots.count
    var rest = arguments
    while let argument = rest.popFirst() {
      switch argument {
      case "--minimize": minimizes = true
      case "--trace": isVerbose = true
      case "--first-failure": stopsAtFailure = true
      case "--sizes":
        switch rest.popFirst() {
        case "full": sizes = .full
        case "small": sizes = .small
        default: isWrong = true
        }
      default:
        guard argument.hasPrefix("--"), let value = rest.popFirst(), let number = UInt64(value) else {
          isWrong = true
          continue
        }
        switch argument {
        case "--first": first = number
        case "--seeds": seeds = number
        case "--processes": processes = min(slots.count, max(1, Int(number)))
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
    if sizes == .small { for slot in slots.prefix(replayed == nil ? processes : 1) { slot.warmUp() } }
    if let replayed { return replay(replayed) }
    return runAll()
  }

  private func scenario(_ seed: UInt64) -> Scenario {
    var scenario = Scenario(seed: seed, sizes: sizes)
    for (name, value) in settings { scenario.set(name, value) }
    scenario.fitToNodes()
    return scenario
  }

  // Many seeds

  private func runAll() -> Int32 {
    let start = time(nil)
    var sum = Report()
    var running: [(slot: Int, seed: UInt64)] = []
    var next = first
    var failed: [UInt64] = []
    while true {
      let isLate = seconds.map { time(nil) - start >= $0 } ?? false
      let mayBegin = next < first + seeds && !isLate && !(stopsAtFailure && !failed.isEmpty)
      let free = (0..<processes).first { slot in !running.contains { $0.slot == slot } }
      if mayBegin, let free {
        slots[free].begin(assignment(scenario(next), on: free))
        running.append((free, next))
        next += 1
        continue
      }
      guard !running.isEmpty else { break }
      let (slot, seed) = running.remove(at: Slot.awaitAny(of: running.map { slots[$0.slot] }))
      let (outcome, report) = slots[slot].finish()
      sum.add(report)
      guard outcome != 0 else { continue }
      failed.append(seed)
      if outcome != 1 { say("seed \(seed): ended by \(Runner.reason(outcome))") }
    }
    let elapsed = max(1, time(nil) - start)
    say(
      "\(next - first) seeds in \(elapsed) s, \(failed.count) failed\(failed.isEmpty ? "" : ": \(failed.sorted())"); \(sum)"
    )
    if minimizes, let seed = failed.min() { minimize(scenario(seed)) }
    return failed.isEmpty ? 0 : 1
  }

  private func assignment(_ scenario: Scenario, on slot: Int) -> Slot.Assignment {
    var assignment = Slot.Assignment()
    assignment.scenario = scenario
    assignment.processor = UInt32(slot)
    return assignment
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

  private func run(
    _ scenario: Scenario, _ tracing: Simulation.Tracing, isQuiet: Bool = false
  ) -> (outcome: Int32, report: Report) {
    var assignment = assignment(scenario, on: 0)
    (assignment.tracing, assignment.isQuiet) = (tracing, isQuiet)
    slots[0].begin(assignment)
    return slots[0].finish()
  }

  private func replay(_ seed: UInt64) -> Int32 {
    let scenario = scenario(seed)
    say("\(scenario)")
    let (outcome, report) = run(scenario, isVerbose ? .all : .none)
    say(
      "trace \(String(report.trace, radix: 16)), \(report)\(outcome == 0 ? "" : ", failed: \(Runner.reason(outcome))")"
    )
    if outcome != 0, minimizes { minimize(scenario) }
    return outcome == 0 ? 0 : 1
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
    let report = run(smallest, isVerbose ? .all : .last(30)).report
    say("trace \(String(report.trace, radix: 16)), \(report)")
  }

  /// The kind of a scenario's failure: that of the first one, or how its process ended; nil: there is none.
  private func failure(of scenario: Scenario) -> UInt64? {
    let (outcome, report) = run(scenario, .none, isQuiet: true)
    switch outcome {
    case 0: return nil
    case 1: return report.kind
    default: return UInt64(bitPattern: Int64(outcome))
    }
  }
}
