/// Makes a program of a tree.
struct PatternCompiler {
  private(set) var program: [Pattern.Instruction] = []

  mutating func compile(_ node: PatternParser.Node) throws(DocumentsError) {
    try emit(.save(0))
    try append(node)
    try emit(.save(1))
    try emit(.match)
    precondition(program.count <= Pattern.instructionLimit, "a program has a bound")
    precondition(
      program.allSatisfy { leadsOn($0) }, "a jump leads to an instruction, and not to the first one")
  }

  private func leadsOn(_ instruction: Pattern.Instruction) -> Bool {
    let places = 1..<program.count
    return switch instruction {
    case .split(let first, let second): places.contains(first) && places.contains(second)
    case .jump(let place): places.contains(place)
    case .scalar, .set, .any, .anyButNewline, .save, .assertion, .match: true
    }
  }

  private mutating func emit(_ instruction: Pattern.Instruction) throws(DocumentsError) {
    if program.count >= Pattern.instructionLimit {
      throw .at(51091, "Regular expression is invalid: regular expression is too large")
    }
    program.append(instruction)
  }

  private mutating func append(_ node: PatternParser.Node) throws(DocumentsError) {
    switch node {
    case .empty: break
    case .scalar(let scalar, let ignoresCase):
      if ignoresCase, scalar.folded != scalar || scalar.upperCase != scalar {
        var set = ScalarSet(ignoresCase: true)
        set.insert(scalar)
        set.insert(scalar.folded)
        set.insert(scalar.upperCase)
        try emit(.set(set))
      } else {
        try emit(.scalar(scalar))
      }
    case .set(let set): try emit(.set(set))
    case .any(let withNewline): try emit(withNewline ? .any : .anyButNewline)
    case .assertion(let assertion): try emit(.assertion(assertion))
    case .group(let node, let number):
      try emit(.save(number * 2))
      try append(node)
      try emit(.save(number * 2 + 1))
    case .sequence(let nodes): for node in nodes { try append(node) }
    case .alternatives(let nodes): try appendAlternatives(nodes)
    case .repeated(let node, let least, let most, let isGreedy):
      for _ in 0..<least {
        let start = program.count
        try append(node)
        // To repeat nothing is nothing, and takes no time: the repetitions in each other multiply.
        if program.count == start { break }
      }
      if let most {
        try appendOptional(node, count: most - least, isGreedy: isGreedy)
      } else {
        try appendLoop(node, isGreedy: isGreedy)
      }
    }
  }

  private mutating func appendAlternatives(_ nodes: [PatternParser.Node]) throws(DocumentsError) {
    var ends: [Int] = []
    for node in nodes.dropLast() {
      let split = program.count
      try emit(.split(split + 1, 0))
      try append(node)
      ends.append(program.count)
      try emit(.jump(0))
      program[split] = .split(split + 1, program.count)
    }
    if let last = nodes.last { try append(last) }
    for end in ends { program[end] = .jump(program.count) }
  }

  private mutating func appendOptional(
    _ node: PatternParser.Node, count: Int, isGreedy: Bool
  ) throws(DocumentsError) {
    var splits: [Int] = []
    for _ in 0..<count {
      splits.append(program.count)
      try emit(.split(0, 0))
      try append(node)
    }
    for split in splits {
      program[split] = isGreedy ? .split(split + 1, program.count) : .split(program.count, split + 1)
    }
  }

  private mutating func appendLoop(_ node: PatternParser.Node, isGreedy: Bool) throws(DocumentsError) {
    let split = program.count
    try emit(.split(0, 0))
    try append(node)
    try emit(.jump(split))
    program[split] = isGreedy ? .split(split + 1, program.count) : .split(program.count, split + 1)
  }
}
