/// The members of groups of subscribers, by the event loops that they are on.
struct GroupMembers<Loop: AnyObject> {
  private struct Group {
    var loops: [ObjectIdentifier: Loop] = [:]
    var count = 0
  }

  private var groups: [Int: Group] = [:]
  private var known: [ObjectIdentifier: Loop] = [:]

  /// The loops that have had members since there were none.
  var loops: some Collection<Loop> { known.values }

  /// The number of groups that have members.
  var groupCount: Int { groups.count }

  func loops(of group: Int) -> [Loop] { groups[group].map { Array($0.loops.values) } ?? [] }

  /// Has a loop be one of those with members, before it has any.
  mutating func know(_ loop: Loop) { known[ObjectIdentifier(loop)] = loop }

  mutating func add(to group: Int, on loop: Loop) {
    know(loop)
    groups[group, default: Group()].loops[ObjectIdentifier(loop)] = loop
    groups[group]?.count += 1
  }

  /// Returns whether the group has no member any more.
  mutating func remove(from group: Int) -> Bool {
    guard var found = groups[group], found.count > 0 else { preconditionFailure("who leaves has joined") }
    found.count -= 1
    groups[group] = found.count > 0 ? found : nil
    return found.count == 0
  }

  mutating func forgetLoops() { known = [:] }
}
