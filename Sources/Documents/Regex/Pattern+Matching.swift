extension Pattern {
  /// A place where the pattern matches.
  struct Match {
    /// Positions in the scalars: begin and end of the whole, then of each group; nil where a group took no part.
    let positions: [Int?]
    /// How many positions of the text were looked at.
    let steps: Int

    var range: Range<Int> { (positions[0] ?? 0)..<(positions[1] ?? 0) }

    func group(_ number: Int) -> Range<Int>? {
      guard let start = positions[number * 2], let end = positions[number * 2 + 1] else { return nil }
      return start..<end
    }
  }

  /// Whether the pattern matches anywhere in the text.
  public func matches(_ text: String) -> Bool {
    first(in: Array(text.unicodeScalars), from: 0, isCapturing: false) != nil
  }

  /// A way through the program.
  private struct Thread {
    let place: Int
    let positions: [Int?]
  }

  /// The threads of one position, each place of the program once, the preferred first.
  private struct Threads {
    var list: [Thread] = []
    var marks: [Int]

    init(count: Int) { marks = Array(repeating: -1, count: count) }
  }

  /// The first match, by PCRE's preferences: leftmost, then that of the first alternative and the greediest repetition.
  func first(in text: [Unicode.Scalar], from start: Int, isCapturing: Bool = true) -> Match? {
    var (current, following) = (Threads(count: program.count), Threads(count: program.count))
    let blank: [Int?] = isCapturing ? Array(repeating: nil, count: groupCount * 2 + 2) : []
    var found: [Int?]?
    var position = start
    while true {
      if found == nil { add(Thread(place: 0, positions: blank), to: &current, at: position, text) }
      if current.list.isEmpty, found != nil { break }
      precondition(current.list.count <= program.count, "a place of the program is followed once")
      following.list.removeAll(keepingCapacity: true)
      for thread in current.list {
        if case .match = program[thread.place] {
          found = thread.positions
          if !isCapturing { return Match(positions: [], steps: position - start) }
          // Threads behind are less preferred.
          break
        }
        guard position < text.count, consumes(thread.place, text[position]) else { continue }
        add(
          Thread(place: thread.place + 1, positions: thread.positions), to: &following, at: position + 1, text
        )
      }
      if position >= text.count { break }
      swap(&current, &following)
      position += 1
    }
    return found.map { Match(positions: $0, steps: position - start) }
  }

  private func consumes(_ place: Int, _ scalar: Unicode.Scalar) -> Bool {
    switch program[place] {
    case .scalar(let wanted): wanted == scalar
    case .set(let set): set.contains(scalar)
    case .any: true
    case .anyButNewline: scalar != "\n"
    case .split, .jump, .save, .assertion, .match: false
    }
  }

  /// Follows jumps up to what consumes a character. A stack of its own, since loops may be as long as the program.
  private func add(_ thread: Thread, to threads: inout Threads, at position: Int, _ text: [Unicode.Scalar]) {
    var stack = [thread]
    while let thread = stack.popLast() {
      if threads.marks[thread.place] == position { continue }
      threads.marks[thread.place] = position
      switch program[thread.place] {
      case .jump(let place): stack.append(Thread(place: place, positions: thread.positions))
      case .split(let first, let second):
        stack.append(Thread(place: second, positions: thread.positions))
        stack.append(Thread(place: first, positions: thread.positions))
      case .save(let slot):
        var positions = thread.positions
        if !positions.isEmpty { positions[slot] = position }
        stack.append(Thread(place: thread.place + 1, positions: positions))
      case .assertion(let assertion):
        if holds(assertion, at: position, text) {
          stack.append(Thread(place: thread.place + 1, positions: thread.positions))
        }
      case .scalar, .set, .any, .anyButNewline, .match: threads.list.append(thread)
      }
    }
  }

  private func holds(_ assertion: Assertion, at position: Int, _ text: [Unicode.Scalar]) -> Bool {
    switch assertion {
    case .start: position == 0
    case .end: position == text.count
    case .lastLineEnd: position == text.count || position == text.count - 1 && text[position] == "\n"
    case .lineStart: position == 0 || text[position - 1] == "\n" && position < text.count
    case .lineEnd: position == text.count || text[position] == "\n"
    case .wordBoundary, .noWordBoundary:
      {
        let before = position > 0 && text[position - 1].isWord
        let after = position < text.count && text[position].isWord
        return (before != after) == (assertion == .wordBoundary)
      }()
    }
  }
}
