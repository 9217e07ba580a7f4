/// Paths of which none leads to another, or into it.
///
/// A tree of their steps, so that the ten-thousandth path is not compared with all before it.
struct EditPathTree {
  private struct Node {
    var next: [EditPath.Step: Int] = [:]
    /// Whether a path ends here.
    var isEnd = false
  }

  private var nodes = [Node()]

  /// Adds a path. False: it leads to one of the others, or into it, or one of them into it.
  mutating func insert(_ path: EditPath) -> Bool {
    var place = 0
    var isNew = false
    for step in path.steps {
      if nodes[place].isEnd { return false }
      if let next = nodes[place].next[step] {
        place = next
        isNew = false
      } else {
        nodes[place].next[step] = nodes.count
        place = nodes.count
        nodes.append(Node())
        isNew = true
      }
    }
    precondition(!isNew || nodes[place].next.isEmpty && !nodes[place].isEnd, "nothing is behind a new path")
    nodes[place].isEnd = true
    return isNew
  }
}
