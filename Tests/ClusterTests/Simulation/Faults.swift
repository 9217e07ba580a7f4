import GatehouseSeeded

/// How often what goes wrong, of a thousand.
struct Faults {
  /// A node cannot reach the log for a while.
  var partitions = 0
  /// A node ends, and is started again.
  var crashes = 0
  /// An answer does not come back, or a request does not arrive.
  var losses = 0
  /// A request or an answer takes seconds.
  var delays = 0
  /// A server that others have replaced answers.
  var lateServers = 0
  /// The store cannot commit what is in the log.
  var failedCommits = 0
  /// The first entries leave the log.
  var trims = 0
  /// A leader is asked to resign.
  var resignations = 0

  init(from random: inout SeededGenerator) {
    func rate(_ most: Int) -> Int {
      Bool.random(using: &random) ? Int.random(in: 0...most, using: &random) : 0
    }
    (partitions, crashes, losses, delays) = (rate(60), rate(60), rate(120), rate(60))
    (lateServers, failedCommits, trims, resignations) = (rate(60), rate(60), rate(30), rate(30))
  }
}
