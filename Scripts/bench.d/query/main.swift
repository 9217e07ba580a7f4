import GatehouseBSON
import Glibc
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite
import GatehouseStorage

// Measures the query language and the store's answers beside SQL written by hand, in one process.
//   query-bench parse [NUMBER TIMES]  one filter alone, from 0, for a profiler
//   query-bench query DIRECTORY [NUMBER]      a store with Geonames' cities; one query alone, from 0, for a profiler
//   query-bench pairs COUNT SEED     random queries, answered by SQL and by the evaluator
//   query-bench store SEED           the queries of one store of those, by the seed that a difference is printed with

/// Nanoseconds that `body` takes, the least of many short rounds: some of them nothing else interrupts.
func time(_ count: Int, rounds: Int = 100, _ body: () throws -> Void) rethrows -> Double {
  var least = Double.infinity
  for _ in 0..<rounds {
    let start = now()
    for _ in 0..<count { try body() }
    least = min(least, Double(now() - start) / Double(count))
  }
  return least
}

func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func shown(_ number: Double, _ digits: Int = 0) -> String {
  let scale = digits == 0 ? 1.0 : digits == 1 ? 10 : 100
  let rounded = (number * scale).rounded() / scale
  return digits == 0 ? String(Int(rounded)) : String(rounded)
}

func row(_ cells: (text: String, width: Int)...) {
  print(
    cells.map { text, width in
      let padding = String(repeating: " ", count: max(0, abs(width) - text.count))
      return width < 0 ? text + padding : padding + text
    }.joined(separator: " "))
}

switch CommandLine.arguments.dropFirst().first {
case "parse" where CommandLine.arguments.count == 4:
  try measureLanguage(only: Int(CommandLine.arguments[2]), times: Int(CommandLine.arguments[3]) ?? 0)
case "parse": try measureLanguage()
case "query" where CommandLine.arguments.count >= 3:
  try measureQueries(
    CommandLine.arguments[2], only: CommandLine.arguments.dropFirst(3).first.flatMap { Int($0) })
case "pairs" where CommandLine.arguments.count == 4:
  guard let count = Int(CommandLine.arguments[2]), let seed = UInt64(CommandLine.arguments[3]) else {
    exit(2)
  }
  exit(try await comparePairs(count, seed: seed) ? 0 : 1)
case "store" where CommandLine.arguments.count == 3:
  guard let seed = UInt64(CommandLine.arguments[2]) else { exit(2) }
  exit(try await compareStore(seed: seed) ? 0 : 1)
default:
  print("query-bench parse | query DIRECTORY [NUMBER] | pairs COUNT SEED | store SEED")
  exit(2)
}
