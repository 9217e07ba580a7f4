import GatehouseCluster
import Glibc

/// Measures appends of three sizes; see `Scripts/bench.d/cluster`.
let count = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 2_000 : 2_000
let publisher = CommandLine.arguments.count > 2 ? CommandLine.arguments[2] : ""

func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

/// Runs the plain publisher, and returns its two numbers.
func plain(_ size: Int) -> [Double] {
  guard let pipe = popen("'\(publisher)' 4222 gatehouse.log.plain \(size) \(count)", "r") else { return [] }
  var line = [CChar](repeating: 0, count: 100)
  fgets(&line, 100, pipe)
  pclose(pipe)
  let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  return text.split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
}

func makeLog(_ name: String) -> NATSLog? {
  guard let name = LogName(name) else { return nil }
  let addresses = (4222...4224).compactMap { ServerAddress(hostAndPort: "127.0.0.1:\($0)") }
  var options = NATSOptions(addresses: addresses, name: name)
  options.monitoring = (8222...8224).compactMap { ServerAddress(hostAndPort: "127.0.0.1:\($0)") }
  options.logSize = 2 << 30
  return NATSLog(options)
}

/// Waits for the servers to agree on a leader.
func wait(for log: NATSLog) -> LogHealth? {
  for _ in 0..<300 {
    if let health = try? log.health(), health.hasLeader, health.currentReplicas == 3 { return health }
    usleep(100_000)
  }
  return nil
}

func text(_ microseconds: Double) -> String {
  let hundredths = Int((microseconds / 10).rounded())
  return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
}

guard let log = makeLog("bench"), let other = makeLog("plain"), let health = wait(for: log),
  wait(for: other) != nil
else { fatalError("the servers do not answer") }
print("replicas \(health.replicas), settings that lose entries: \(health.defects.map(\.description))")
print("bytes\tours p50\tp99\tplain p50\tp99\tdifference of p50, ms")
var position: UInt64 = 0
for size in [256, 10 << 10, 100 << 10] {
  let entry = [UInt8](repeating: 120, count: size)
  var times: [Double] = []
  // Half before the plain publisher, half behind: the machine is another one a minute later.
  func appendHalf() {
    for _ in 0..<(count / 2) {
      let start = now()
      let outcome = log.append(
        entry, expecting: position, identity: "b.\(getpid()).\(position)", limit: .seconds(10))
      times.append(now() - start)
      switch outcome {
      case .appended(let new): position = new
      case .refused(let current): position = current
      case .inDoubt, .unavailable: fatalError("\(outcome)")
      }
    }
  }
  appendHalf()
  let others = plain(size)
  appendHalf()
  times.sort()
  guard others.count == 2 else { fatalError("the plain publisher has failed") }
  let (median, last) = (times[times.count / 2], times[times.count * 99 / 100])
  print(
    "\(size)\t\(text(median))\t\(text(last))\t\(text(others[0]))\t\(text(others[1]))\t\(text(max(0, median - others[0])))"
  )
}
