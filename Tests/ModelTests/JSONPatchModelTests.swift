import GatehouseBSON
import GatehouseModel
import GatehouseSeeded
import Testing

/// The content of a mixed value, as RFC 6902 sees it. Names go by their bytes.
private enum Tree: Equatable {
  case null
  case number(Int64)
  case text([UInt8])
  case list([Tree])
  case members([[UInt8]: Tree])

  struct Refused: Error {}

  var value: Value {
    switch self {
    case .null: .null
    case .number(let number): .int64(number)
    case .text(let text): .string(String(decoding: text, as: UTF8.self))
    case .list(let trees): .array(trees.map(\.value))
    case .members(let members):
      .document(
        Document(members.map { .init(key: String(decoding: $0, as: UTF8.self), value: $1.value) }))
    }
  }

  init(_ draft: DraftValue) {
    switch draft {
    case .value(.int(let number)): self = .number(number)
    case .value(.string(let text)): self = .text(Array(text.utf8))
    case .list(let drafts): self = .list(drafts.map(Tree.init))
    case .map(let entries):
      self = .members(Dictionary(uniqueKeysWithValues: entries.map { (Array($0.key.utf8), Tree($0.value)) }))
    case .value, .link, .embedded: self = .null
    }
  }

  // RFC 6901 §4

  func child(_ token: String) throws -> Tree {
    switch self {
    case .members(let members): if let child = members[Array(token.utf8)] { return child }
    case .list(let trees): if let index = Tree.index(token), index < trees.count { return trees[index] }
    case .null, .number, .text: break
    }
    throw Refused()
  }

  static func index(_ token: String) -> Int? {
    guard token == "0" || token.first != "0", token.allSatisfy({ "0123456789".contains($0) }) else {
      return nil
    }
    return Int(token)
  }

  func find(_ tokens: [String]) throws -> Tree {
    try tokens.reduce(self) { try $0.child($1) }
  }

  // RFC 6902 §4

  func adding(_ tree: Tree, at tokens: [String]) throws -> Tree {
    try changing(tokens) { holder, token in
      switch holder {
      case .members(var members):
        members[Array(token.utf8)] = tree
        return .members(members)
      case .list(var trees):
        guard let index = token == "-" ? trees.count : Tree.index(token), index <= trees.count else {
          throw Refused()
        }
        trees.insert(tree, at: index)
        return .list(trees)
      case .null, .number, .text: throw Refused()
      }
    }
  }

  func removing(_ tokens: [String]) throws -> Tree {
    _ = try find(tokens)
    return try changing(tokens) { holder, token in
      switch holder {
      // The property itself stays, without a value.
      case .members(var members):
        members[Array(token.utf8)] = tokens.count == 1 ? .null : nil
        return .members(members)
      case .list(var trees):
        trees.remove(at: Tree.index(token) ?? 0)
        return .list(trees)
      case .null, .number, .text: throw Refused()
      }
    }
  }

  func replacing(_ tree: Tree, at tokens: [String]) throws -> Tree {
    guard tokens.count > 1, case .list = try find(tokens.dropLast()) else {
      _ = try find(tokens)
      return try adding(tree, at: tokens)
    }
    return try removing(tokens).adding(tree, at: tokens)
  }

  private func changing(_ tokens: [String], _ change: (Tree, String) throws -> Tree) throws -> Tree {
    guard let first = tokens.first else { throw Refused() }
    if tokens.count == 1 { return try change(self, first) }
    let changed = try child(first).changing(Array(tokens.dropFirst()), change)
    switch self {
    case .members(var members):
      members[Array(first.utf8)] = changed
      return .members(members)
    case .list(var trees):
      trees[Tree.index(first) ?? 0] = changed
      return .list(trees)
    case .null, .number, .text: throw Refused()
    }
  }
}

/// One operation, for the model and as the content of a request.
private struct Step {
  let operation: String
  let path: [String]
  let from: [String]
  let tree: Tree

  var value: Value {
    var members: Document = ["op": .string(operation), "path": .string(Step.pointer(path))]
    switch operation {
    case "move", "copy": members.append("from", .string(Step.pointer(from)))
    case "remove": break
    default: members.append("value", tree.value)
    }
    return .document(members)
  }

  private static func pointer(_ tokens: [String]) -> String {
    tokens.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
  }

  func apply(to root: Tree) throws -> Tree {
    switch operation {
    case "add": return try root.adding(tree, at: path)
    case "remove": return try root.removing(path)
    case "replace": return try root.replacing(tree, at: path)
    case "copy": return try root.adding(root.find(from), at: path)
    case "test":
      guard try root.find(path) == tree else { throw Tree.Refused() }
      return root
    default:
      // Nothing moves into itself.
      if from.count < path.count, path.starts(with: from) { throw Tree.Refused() }
      return try root.removing(from).adding(root.find(from), at: path)
    }
  }
}

private struct Maker {
  var random: SeededGenerator
  private static let names = [
    "a", "b", "~", "/", "~1", "0", "1", "-", "01", "", "\u{e9}", "e\u{301}", "\u{301}a",
  ]

  mutating func tree(_ depth: Int = 0) -> Tree {
    let count = Int.random(in: 0...3, using: &random)
    switch Int.random(in: depth > 3 ? 0...2 : 0...6, using: &random) {
    case 0: return .null
    case 1: return .number(Int64(count))
    case 2: return .text(Array("x".utf8))
    case 3, 4: return .list((0..<count).map { _ in tree(depth + 1) })
    default:
      var members: [[UInt8]: Tree] = [:]
      for _ in 0..<count { members[Array(name().utf8)] = tree(depth + 1) }
      return .members(members)
    }
  }

  private mutating func name() -> String { Maker.names.randomElement(using: &random) ?? "" }

  /// Where something is, mostly.
  private mutating func place(in root: Tree) -> [String] {
    var (tokens, tree) = (["m"], try? root.child("m"))
    while Int.random(in: 0..<3, using: &random) > 0 {
      switch tree {
      case .members(let members):
        let names = members.keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
        tokens.append(Bool.random(using: &random) ? name() : names.randomElement(using: &random) ?? name())
      case .list(let trees):
        let index = Int.random(in: 0...trees.count, using: &random)
        tokens.append(Int.random(in: 0..<5, using: &random) == 0 ? "-" : String(index))
      case .null, .number, .text, nil:
        if Bool.random(using: &random) { return tokens }
        tokens.append(name())
      }
      tree = try? tree?.child(tokens[tokens.count - 1])
    }
    return tokens
  }

  mutating func step(on root: Tree) -> Step {
    let operations = ["add", "add", "remove", "replace", "move", "copy", "test"]
    let operation = operations.randomElement(using: &random) ?? "add"
    let path = place(in: root)
    let present = operation == "test" ? try? root.find(path) : nil
    return Step(operation: operation, path: path, from: place(in: root), tree: present ?? tree(2))
  }
}

@Suite struct JSONPatchModelTests {
  private static let type = ObjectType(
    name: "D", properties: [Property(name: "m", type: .one(.mixed, optional: true))])

  /// Applies the steps by the model code; nil if it refuses them.
  private func outcome(of steps: [Step], on tree: Tree) -> Tree? {
    let schema = Schema([JSONPatchModelTests.type])
    do {
      let edit = try JSONPatchModelTests.type.edit(fromJSONPatch: .array(steps.map(\.value)), in: schema)
      let patch = try JSONPatchModelTests.type.apply(edit, to: ["m": tree.value], in: schema)
      guard case .assign(let draft)? = patch.changes.first?.value else { return tree }
      return Tree(draft)
    } catch {
      return nil
    }
  }

  // Scripts/patches is the long form, for all types of properties.
  @Test(arguments: 1...8) func `a JSON Patch does what RFC 6902 says, or nothing`(seed: UInt64) throws {
    var maker = Maker(random: SeededGenerator(seed: seed))
    var (performed, refused) = (0, 0)
    for number in 0..<300 {
      let tree = maker.tree()
      var root = Tree.members([Array("m".utf8): tree])
      var steps: [Step] = []
      for _ in 0..<Int.random(in: 1...5, using: &maker.random) {
        let step = maker.step(on: root)
        steps.append(step)
        // Mostly paths that lead somewhere after what has been done before.
        if let next = try? step.apply(to: root) { root = next }
      }
      let expected = try? steps.reduce(Tree.members([Array("m".utf8): tree])) { try $1.apply(to: $0) }.child(
        "m")
      #expect(outcome(of: steps, on: tree) == expected, "seed \(seed), patch \(number)")
      if expected == nil { refused += 1 } else { performed += 1 }
    }
    #expect(performed > 50 && refused > 50)
  }
}

/// Paths of edits into documents.
@Suite struct EditPathTests {
  private static let type = ObjectType.schemaless("Free")
  private static let schema = Schema([type])

  private func problems(_ body: () throws -> ObjectEdit) -> [ValidationProblem] {
    do {
      _ = try body()
      return []
    } catch {
      return (error as? ValidationError)?.problems ?? []
    }
  }

  // A longer path took a hundred times its bytes.
  @Test(arguments: [(101, true), (102, false), (300_000, false)])
  func `paths are no longer than values are deep`(count: Int, isLegal: Bool) {
    let names = Array(repeating: "a", count: count)
    let operators = Value.document([
      "$set": .document(Document([.init(key: names.joined(separator: "."), value: .int32(1))]))
    ])
    let patch = Value.array([
      .document(["op": .string("remove"), "path": .string("/" + names.joined(separator: "/"))])
    ])
    let rules: [ValidationRule] = isLegal ? [] : [.tooDeep(limit: 100)]
    #expect(problems { try Self.type.edit(fromOperators: operators, in: Self.schema) }.map(\.rule) == rules)
    #expect(problems { try Self.type.edit(fromJSONPatch: patch, in: Self.schema) }.map(\.rule) == rules)
  }
}
