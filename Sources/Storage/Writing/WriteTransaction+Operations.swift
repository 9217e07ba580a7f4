import Model
import Query

extension WriteTransaction {
  /// What an operation did to which object.
  struct Outcome {
    /// Nil: several objects.
    let subject: RowAddress?
    let id: Mixed
    let effect: Commit.Result.Effect
    var count = 1
  }

  /// Performs one operation.
  func perform(_ operation: Operation) throws(StorageError) -> Outcome {
    switch operation {
    case .create(let objectType, let draft, let policy):
      return try create(try catalog.topLevelIndex(of: objectType), draft, policy)
    case .put(let objectType, let id, let draft, let precondition):
      return try put(try catalog.topLevelIndex(of: objectType), id, draft, precondition)
    case .update(let objectType, let id, let patch, let precondition):
      return try update(try catalog.topLevelIndex(of: objectType), id, patch, precondition)
    case .edit(let objectType, let id, let edit, let precondition):
      return try self.edit(try catalog.topLevelIndex(of: objectType), id, edit, precondition)
    case .change(let objectType, let id, let path, let change, let precondition):
      return try self.change(
        try catalog.topLevelIndex(of: objectType), id, path, change, precondition)
    case .each(let plan, let action):
      return try perform(action, onEach: plan)
    case .delete(let objectType, let id, let precondition):
      return try delete(try catalog.topLevelIndex(of: objectType), id, precondition)
    }
  }

  private func create(
    _ table: Int, _ draft: ObjectDraft, _ policy: Operation.UpdatePolicy
  ) throws(StorageError) -> Outcome {
    var draft = draft
    let id = identifier(of: draft, table)
    // Whether there is such an object already, the file says when it takes the new one; but not of null keys, which
    // are distinct to SQLite.
    if policy == .error, id != .null { return try insert(table, id, draft) }
    if let id, let found = try find(table, id) {
      guard policy != .error else {
        throw .objectExists(objectType: catalog.tables[table].objectType.name, id: id)
      }
      let subject = RowAddress(table: table, key: found.key)
      try admit(subject, id)
      for assignment in draft.assignments where assignment.property != primaryKeyIndex(table) {
        try willChange(assignment.property, of: subject, id: id, ignoringEqual: policy == .modified)
        try assign(assignment.value, to: assignment.property, of: subject)
      }
      return Outcome(subject: subject, id: id, effect: .updated)
    }
    guard policy != .error else { return try insert(table, id, draft) }
    // Only now it is known that what the draft leaves out needs a default.
    do throws(ValidationError) {
      draft = try catalog.tables[table].objectType.complete(draft, in: catalog.schema)
    } catch {
      throw .invalid(error)
    }
    return try insert(table, id, draft)
  }

  private func put(
    _ table: Int, _ id: Mixed, _ draft: ObjectDraft, _ precondition: Operation.Precondition
  ) throws(StorageError) -> Outcome {
    let type = catalog.tables[table].objectType
    if let given = identifier(of: draft, table), given != id {
      throw .primaryKeyChanged(objectType: type.name, id: id)
    }
    let found = try find(table, id)
    if let found { try admit(RowAddress(table: table, key: found.key), id, precondition) }
    try check(precondition, found?.version)
    guard let found else { return try insert(table, id, draft) }
    let subject = RowAddress(table: table, key: found.key)
    var given = draft.assignments[...]
    for (index, property) in type.properties.enumerated() {
      let assignment = given.first?.property == index ? given.removeFirst() : nil
      if case .linkingObjects = property.type { continue }
      guard index != type.primaryKeyIndex else { continue }
      try willChange(index, of: subject, id: id)
      try assign(assignment?.value ?? property.type.emptyValue, to: index, of: subject)
    }
    return Outcome(subject: subject, id: id, effect: .updated)
  }

  private func update(
    _ table: Int, _ id: Mixed, _ patch: ObjectPatch, _ precondition: Operation.Precondition
  ) throws(StorageError) -> Outcome {
    let found = try find(table, id, precondition)
    return try update(RowAddress(table: table, key: found), id, patch)
  }

  /// Changes an object as a patch says.
  func update(
    _ subject: RowAddress, _ id: Mixed, _ patch: ObjectPatch
  ) throws(StorageError) -> Outcome {
    let type = catalog.tables[subject.table].objectType
    for change in patch.changes {
      if change.property == type.primaryKeyIndex {
        // Naming the key that it has is no change; another one would be another object.
        guard case .assign(.value(id)) = change.value else {
          throw .primaryKeyChanged(objectType: type.name, id: id)
        }
        continue
      }
      // What changes single entries tells so itself.
      if !change.value.isMerge { try willChange(change.property, of: subject, id: id) }
      try apply(change, to: subject)
    }
    return Outcome(subject: subject, id: id, effect: patch.changes.isEmpty ? .unchanged : .updated)
  }

  /// The key of an object that must be there and as the precondition says.
  func find(
    _ table: Int, _ id: Mixed, _ precondition: Operation.Precondition
  ) throws(StorageError) -> Int64 {
    let found = try find(table, id)
    if let found { try admit(RowAddress(table: table, key: found.key), id, precondition) }
    try check(precondition, found?.version)
    guard let found else {
      throw .objectNotFound(objectType: catalog.tables[table].objectType.name, id: id)
    }
    return found.key
  }

  private func delete(
    _ table: Int, _ id: Mixed, _ precondition: Operation.Precondition
  ) throws(StorageError) -> Outcome {
    let found = try find(table, id, precondition)
    return try delete(RowAddress(table: table, key: found), id)
  }

  /// Deletes an object.
  func delete(_ subject: RowAddress, _ id: Mixed) throws(StorageError) -> Outcome {
    try willDelete(subject, id: id)
    try unlink(subject)
    try removeContents(subject)
    try remove(subject)
    counters.add(-1, subject.table)
    return Outcome(subject: subject, id: id, effect: .deleted)
  }

  private func insert(_ table: Int, _ id: Mixed?, _ draft: ObjectDraft) throws(StorageError) -> Outcome {
    let type = catalog.tables[table].objectType
    let promised = awaited.isEmpty ? nil : id.flatMap { takePromise(table, $0) }
    let key: Int64
    if let promised, !promised.isPlaceholder {
      key = promised.key
    } else if type.primaryKey == nil, case .int(let named)? = id {
      guard (0...ObjectKey.largest).contains(named) else { throw .keyOutOfRange(named) }
      counters.use(named, table)
      key = named
    } else {
      key = counters.takeKey(table)
    }
    let subject = RowAddress(table: table, key: key)
    let identity = type.primaryKey == nil ? .int(key) : id ?? .null
    recorder.didCreate(subject, id: identity, from: draft)
    // The object itself is not there yet where its own links to itself are looked up.
    let target = Target(table: table, identifier: identity)
    let isLinkingToItself = draft.assignments.contains { $0.value.isLinking(to: type.name, identity) }
    if isLinkingToItself { awaited[target] = ForwardReference(key: key, operation: operation) }
    try store(subject, identity, draft)
    if isLinkingToItself { awaited[target] = nil }
    if let promised { try keep(promised, by: subject) }
    note(subject)
    return Outcome(subject: subject, id: identity, effect: .created)
  }

  /// Takes what was promised to whoever links to an object.
  private func takePromise(_ table: Int, _ id: Mixed) -> ForwardReference? {
    awaited.removeValue(forKey: Target(table: table, identifier: id))
  }

  /// Stores a new object.
  func store(_ subject: RowAddress, _ id: Mixed, _ draft: ObjectDraft) throws(StorageError) {
    let table = subject.table
    do throws(StorageError) {
      try insertRow(subject, draft)
    } catch {
      throw error.isCollision
        ? .objectExists(objectType: catalog.tables[table].objectType.name, id: id) : error
    }
    counters.add(1, table)
    // Where clients name the keys, they are not always given in their order.
    if appendOnly.contains(table), subject.key == counters.nextKey[table] - 1 { newest[table] = draft }
  }

  func check(_ precondition: Operation.Precondition, _ version: Int64?) throws(StorageError) {
    let holds =
      switch precondition {
      case .none: true
      case .exists: version != nil
      case .absent: version == nil
      case .version(let allowed): version.map { allowed.contains($0) } ?? false
      }
    guard holds else { throw .versionMismatch(current: version) }
  }

  private func primaryKeyIndex(_ table: Int) -> Int? {
    catalog.tables[table].objectType.primaryKeyIndex
  }

  /// What the draft says identifies the object; nil where the class gives the key and the draft names none.
  func identifier(of draft: ObjectDraft, _ table: Int) -> Mixed? {
    guard let index = primaryKeyIndex(table) else { return draft.key.map { .int($0.value) } }
    guard case .value(let value)? = draft.assignments.first(where: { $0.property == index })?.value else {
      return .null
    }
    return value
  }
}

extension PropertyType {
  /// What a property without a value holds: null, or an empty collection.
  var emptyValue: DraftValue {
    switch self {
    case .one, .linkingObjects: .value(.null)
    case .list, .set: .list([])
    case .map: .map([])
    }
  }
}

extension PatchValue {
  fileprivate var isMerge: Bool {
    if case .merge = self { true } else { false }
  }
}

extension DraftValue {
  /// Whether the value, or one in it, is a link to that object.
  fileprivate func isLinking(to objectType: String, _ identifier: Mixed) -> Bool {
    switch self {
    case .value: false
    case .link(let target, let primaryKey): target == objectType && primaryKey == identifier
    case .embedded(let draft): draft.assignments.contains { $0.value.isLinking(to: objectType, identifier) }
    case .list(let values): values.contains { $0.isLinking(to: objectType, identifier) }
    case .map(let entries): entries.contains { $0.value.isLinking(to: objectType, identifier) }
    }
  }
}
