import GatehouseBSON

/// Paths as a tree, each with something at its end, in the order in which they were given.
struct PathTree<Leaf> {
  indirect enum Node {
    case leaf(Leaf)
    case branch(PathTree)
  }

  private(set) var members: [(name: String, node: Node)] = []

  subscript(name: String) -> Node? {
    members.first { $0.name.hasSameBytes(as: name) }?.node
  }

  /// Puts something at the end of a path; nil where another path leads there, or through there, or ends on the way.
  @discardableResult
  mutating func insert(_ leaf: Leaf, at path: ArraySlice<String>) -> Bool {
    guard let name = path.first else { return false }
    let rest = path.dropFirst()
    guard let index = members.firstIndex(where: { $0.name.hasSameBytes(as: name) }) else {
      if rest.isEmpty {
        members.append((name, .leaf(leaf)))
        return true
      }
      var branch = PathTree()
      let isInserted = branch.insert(leaf, at: rest)
      members.append((name, .branch(branch)))
      return isInserted
    }
    guard !rest.isEmpty, case .branch(var branch) = members[index].node else { return false }
    let isInserted = branch.insert(leaf, at: rest)
    members[index].node = .branch(branch)
    return isInserted
  }
}

extension PathTree: Sendable where Leaf: Sendable {}
extension PathTree.Node: Sendable where Leaf: Sendable {}
