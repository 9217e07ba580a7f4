import GatehouseBSON

/// The groups of documents that a stage makes, in the order in which they are first met, with what their accumulators have.
struct Groups: Sendable {
  fileprivate struct Group: Sendable {
    let key: Value
    var states: [AccumulatorState]
  }

  private var places: [ValueKey: Int] = [:]
  private var groups: [Group] = []

  /// Adds a document to the group of that key.
  mutating func add(
    _ scope: Scope, to key: Value?, of fields: [Grouping.Field], _ budget: Budget
  ) throws(DocumentsError) {
    let place = try place(of: key, budget) { fields.map { AccumulatorState($0.accumulator) } }
    for index in fields.indices { try groups[place].states[index].add(scope, budget) }
  }

  /// Adds the groups of more documents.
  mutating func add(_ other: Groups, _ budget: Budget) throws(DocumentsError) {
    for group in other.groups {
      let place = try place(of: group.key, budget) { group.states.map(\.empty) }
      for index in group.states.indices { try groups[place].states[index].add(group.states[index], budget) }
    }
  }

  private mutating func place(
    of value: Value?, _ budget: Budget, _ states: () -> [AccumulatorState]
  ) throws(DocumentsError) -> Int {
    // Groups of what is missing and of null are one.
    let value = value ?? .null
    let key = ValueKey(value)
    if let place = places[key] { return place }
    let group = Group(key: value, states: states())
    try budget.charge(group.memory)
    places[key] = groups.count
    groups.append(group)
    precondition(places.count == groups.count, "what is equal in the order of values is one group")
    return groups.count - 1
  }

  /// A document of each group.
  func documents(of fields: [Grouping.Field]) -> [Document] {
    groups.map { group in
      var document: Document = ["_id": group.key]
      for (field, state) in zip(fields, group.states) {
        if let value = state.result { document.append(field.name, value) }
      }
      return document
    }
  }

  /// The bytes that the groups take.
  var memory: Int { groups.reduce(0) { $0 + $1.memory + $1.states.reduce(0) { $0 + $1.charged } } }
}

extension Groups.Group {
  /// The bytes that it takes, but for what its accumulators keep.
  fileprivate var memory: Int { key.memory * 2 + 256 * (states.count + 1) }
}
