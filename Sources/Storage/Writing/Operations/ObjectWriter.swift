import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSharing

/// Performs operations on single objects: finds each, checks preconditions and conditions, has the change captured, and
/// then made. Owns no table.
final class ObjectWriter {
  /// The bytes that an element of a collection counts for at least: about what its row takes beside the value.
  private static let leastElementSize = 16

  private let statements: WriteStatements
  private let objects: ObjectStore
  private let properties: PropertyWriter
  private let links: LinkIndex
  private let linkRemover: LinkRemover
  private let capture: ChangeCapture
  private let conditions: ConditionChecks
  private let context: WriteContext
  private let visible: VisibleWrites
  private let present: PresentValues
  private let updateTimes: UpdateTimes
  private let bounds: ObjectBounds
  private var catalog: Catalog { statements.catalog }

  init(
    _ parts: WriteParts, conditions: ConditionChecks, visible: VisibleWrites, present: PresentValues,
    updateTimes: UpdateTimes, bounds: ObjectBounds
  ) {
    statements = parts.base.statements
    objects = parts.objects
    links = parts.links
    capture = parts.capture
    self.conditions = conditions
    context = parts.base.context
    self.bounds = bounds
    self.visible = visible
    self.present = present
    self.updateTimes = updateTimes
    let lists = ListWriter(parts)
    properties = PropertyWriter(parts, lists: lists)
    linkRemover = LinkRemover(parts, lists: lists)
  }

  /// Performs an operation on one object.
  func perform(_ operation: Operation) throws(StorageError) -> OperationOutcome {
    switch try operation.naming(statements) {
    case .create(let objectType, let draft, let policy):
      return try create(draft, policy, in: catalog.topLevelIndex(of: objectType))
    case .put(let objectType, let id, let draft, let precondition):
      return try put(draft, id: id, in: catalog.topLevelIndex(of: objectType), precondition)
    case .update(let objectType, let id, let patch, let precondition):
      let row = try find(catalog.topLevelIndex(of: objectType), id: id, precondition)
      return try update(row, id: id, by: patch)
    case .edit(let objectType, let id, let edit, let precondition):
      let row = try find(catalog.topLevelIndex(of: objectType), id: id, precondition)
      return try self.edit(row, id: id, by: edit)
    case .change(let objectType, let id, let path, let change, let precondition):
      let row = try findVisible(catalog.topLevelIndex(of: objectType), id: id)
      return try self.change(row, at: path, change, precondition: precondition)
    case .delete(let objectType, let id, let precondition):
      return try delete(find(catalog.topLevelIndex(of: objectType), id: id, precondition), id)
    case .each: preconditionFailure("several objects")
    }
  }

  /// Does the same to an object as to others that a plan matches.
  func perform(_ action: Operation.Action, on row: RowAddress) throws(StorageError) {
    let id = try statements.identifier(of: row)
    try conditions.admit(row, id: id)
    switch action {
    case .update(let patch): _ = try update(row, id: id, by: patch)
    case .edit(let edit): _ = try self.edit(row, id: id, by: edit)
    case .compute(let values): _ = try update(row, id: id, by: statements.patch(of: values, row, id: id))
    case .delete: _ = try delete(row, id)
    case .transform: preconditionFailure("the patches of several objects")
    }
  }

  // Objects by what clients identify them by

  /// Returns the row of an object that is there, and may change; nil where there is none and none need be.
  private func findAny(
    _ table: Int, id: Mixed, _ precondition: Operation.Precondition
  ) throws(StorageError) -> RowAddress? {
    let found = try statements.find(table, id)
    if let found { try conditions.admit(found.row, id: id, precondition) }
    try precondition.check(found?.version)
    return found?.row
  }

  /// Runs what makes an object, or replaces the one that is there. One that may not be seen is there all the same: its
  /// primary key is taken, whichever way the new one is to be made.
  private func making<Result>(
    _ id: Mixed, in table: Int, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    do throws(StorageError) { return try body() } catch {
      guard case .objectNotFound = error else { throw error }
      throw .objectExists(objectType: catalog.tables[table].objectType.name, id: id)
    }
  }

  /// Returns the row of an object that must be there, and may change.
  private func find(
    _ table: Int, id: Mixed, _ precondition: Operation.Precondition
  ) throws(StorageError) -> RowAddress {
    guard let row = try findAny(table, id: id, precondition) else { throw notFound(id, table) }
    return row
  }

  /// Returns the row of an object that must be there, and may be seen.
  private func findVisible(_ table: Int, id: Mixed) throws(StorageError) -> RowAddress {
    guard let found = try statements.find(table, id) else { throw notFound(id, table) }
    try conditions.requireVisible(found.row, id: id)
    return found.row
  }

  private func notFound(_ id: Mixed, _ table: Int) -> StorageError {
    .objectNotFound(objectType: catalog.tables[table].objectType.name, id: id)
  }

  /// Returns what a draft says identifies the object; nil where the class gives the key and the draft names none.
  func identifier(of draft: ObjectDraft, _ table: Int) -> Mixed? {
    guard let index = catalog.tables[table].objectType.primaryKeyIndex else {
      return draft.key.map { .int($0.value) }
    }
    guard case .value(let value)? = draft.assignments.first(where: { $0.property == index })?.value else {
      return .null
    }
    return value
  }

  /// Throws ``StorageError/objectTooLarge(objectType:limit:)`` where so many elements of collections, each with its row,
  /// would be more than one object may have, however few bytes their values have: before the first is written.
  private func admit(_ elements: Int, to table: Int) throws(StorageError) {
    guard let sizeLimit = bounds.size, elements > sizeLimit / ObjectWriter.leastElementSize else { return }
    throw .objectTooLarge(objectType: catalog.tables[table].objectType.name, limit: sizeLimit)
  }

  // Whole objects

  private func create(
    _ draft: ObjectDraft, _ policy: Operation.UpdatePolicy, in table: Int
  ) throws(StorageError) -> OperationOutcome {
    try admit(draft.elementCount, to: table)
    let draft = bounds.ownDraft(try objects.numbered(draft, in: table), of: catalog.tables[table].objectType)
    let id = identifier(of: draft, table)
    // Whether there is such an object already, the file says when it takes the new one; but not of null keys, which
    // are distinct to SQLite.
    if policy == .error, id != .null { return try insert(draft, id: id, in: table) }
    if let id, let found = try statements.find(table, id) {
      guard policy != .error else {
        throw .objectExists(objectType: catalog.tables[table].objectType.name, id: id)
      }
      try making(id, in: table) { () throws(StorageError) in try conditions.admit(found.row, id: id) }
      return try overwrite(found.row, id, with: draft, ignoringEqual: policy == .modified)
    }
    guard policy != .error else { return try insert(draft, id: id, in: table) }
    // Only now it is known that what the draft leaves out needs a default.
    return try insert(complete(draft, table), id: id, in: table)
  }

  private func complete(_ draft: ObjectDraft, _ table: Int) throws(StorageError) -> ObjectDraft {
    let type = catalog.tables[table].objectType
    // An object has defaults where its author may give it nothing, or it is not made.
    guard conditions.kept(in: table).allSatisfy({ !type.properties[$0].isRequiredWithoutDefault }) else {
      throw .notPermitted(objectType: type.name, id: identifier(of: draft, table) ?? .null)
    }
    do throws(ValidationError) {
      return try type.complete(draft, in: catalog.schema)
    } catch {
      throw .invalid(error)
    }
  }

  /// Writes the given properties of an object that is there.
  private func overwrite(
    _ row: RowAddress, _ id: Mixed, with draft: ObjectDraft, ignoringEqual: Bool
  ) throws(StorageError) -> OperationOutcome {
    let primaryKey = catalog.tables[row.table].objectType.primaryKeyIndex
    var values: [(property: Int, value: DraftValue)] = []
    values.reserveCapacity(draft.assignments.count)
    for assignment in draft.assignments
    where assignment.property != primaryKey && !updateTimes.contains(assignment.property, in: row.table) {
      try capture.willChange(assignment.property, of: row, id: id, ignoringEqual: ignoringEqual)
      let value = try visible.value(storing: assignment.value, for: assignment.property, of: row)
      values.append(
        (assignment.property, try keepingFields(value, for: assignment.property, of: row, id: id)))
    }
    try objects.assign(values, of: row)
    return OperationOutcome(row: row, id: id, effect: .updated)
  }

  private func insert(
    _ draft: ObjectDraft, id: Mixed?, in table: Int
  ) throws(StorageError) -> OperationOutcome {
    let type = catalog.tables[table].objectType
    try bounds.requireOwn(id, of: type)
    let draft = updateTimes.stamped(draft, in: table)
    let target =
      links.isComplete ? nil : id.map { ForwardReferences.Target(table: table, identifier: $0) }
    let reference = target.flatMap { links.takeReference(to: $0) }
    let row = try objects.makeRow(in: table, id: id, for: reference)
    let identity = type.primaryKey == nil ? .int(row.key) : id ?? .null
    capture.didCreate(row, id: identity, from: draft)
    do throws(StorageError) { try add(row, id: identity, draft) } catch {
      capture.didNotCreate(row)
      if let target, let reference { links.giveBack(reference, to: target) }
      throw error
    }
    if let reference { try links.resolve(reference, to: row) }
    conditions.didCreate(row)
    return OperationOutcome(row: row, id: identity, effect: .created)
  }

  /// Stores a new object, which may link to itself.
  private func add(_ row: RowAddress, id identity: Mixed, _ draft: ObjectDraft) throws(StorageError) {
    let type = catalog.tables[row.table].objectType
    if draft.assignments.contains(where: { $0.value.isLinking(to: type.name, identity) }) {
      let target = ForwardReferences.Target(table: row.table, identifier: identity)
      try links.referring(to: target, key: row.key) { () throws(StorageError) in
        try objects.add(row, id: identity, draft)
      }
    } else {
      try objects.add(row, id: identity, draft)
    }
  }

  /// Makes an object exactly the draft, but for what the caller does not write of it.
  private func put(
    _ draft: ObjectDraft, id: Mixed, in table: Int, _ precondition: Operation.Precondition
  ) throws(StorageError) -> OperationOutcome {
    try admit(draft.elementCount, to: table)
    let type = catalog.tables[table].objectType
    if let given = identifier(of: draft, table), !given.isSameKey(as: id) {
      throw .primaryKeyChanged(objectType: type.name, id: id)
    }
    let kept = conditions.kept(in: table)
    let found = try making(id, in: table) { () throws(StorageError) in
      try findAny(table, id: id, precondition)
    }
    guard let row = found else {
      try requireNoKeptFields(draft, id: id, in: table)
      return try insert(kept.isEmpty ? draft : complete(draft, table), id: id, in: table)
    }
    try requireUnchanged(kept, of: row, id: id, by: draft)
    var given = draft.assignments[...]
    var values: [(property: Int, value: DraftValue)] = []
    for (index, property) in type.properties.enumerated() {
      let assignment = given.first?.property == index ? given.removeFirst() : nil
      if case .linkingObjects = property.type { continue }
      guard index != type.primaryKeyIndex, !kept.contains(index),
        !updateTimes.contains(index, in: row.table)
      else { continue }
      try capture.willChange(index, of: row, id: id)
      let value = try visible.value(
        storing: assignment?.value ?? property.type.emptyValue, for: index, of: row)
      values.append((index, try keepingFields(value, for: index, of: row, id: id)))
    }
    try objects.assign(values, of: row)
    capture.didReplace(row)
    return OperationOutcome(row: row, id: id, effect: .updated)
  }

  /// Makes sure that a draft gives properties that its author does not write the values that they show, if any.
  private func requireUnchanged(
    _ kept: Set<Int>, of row: RowAddress, id: Mixed, by draft: ObjectDraft
  ) throws(StorageError) {
    let given = draft.assignments.filter { kept.contains($0.property) }
    if given.isEmpty { return }
    let type = catalog.tables[row.table].objectType
    let values = try present.values(of: given.map(\.property), in: row, under: visible.visibility)
    for (assignment, value) in zip(given, values.elements) {
      let shown = try? type.properties[assignment.property].type.draft(
        from: value.value, in: catalog.schema, of: type.name)
      guard shown == assignment.value else { throw .notPermitted(objectType: type.name, id: id) }
    }
  }

  /// Makes sure that a document that is made has no field that its author does not write.
  private func requireNoKeptFields(
    _ draft: ObjectDraft, id: Mixed, in table: Int
  ) throws(StorageError) {
    let (kept, type) = (conditions.keptFields(in: table), catalog.tables[table].objectType)
    guard !kept.isEmpty else { return }
    for assignment in draft.assignments where assignment.property == type.fieldsIndex {
      guard case .map(let given) = assignment.value else { continue }
      if given.contains(where: { kept.contains(ExactText($0.key)) }) {
        throw .notPermitted(objectType: type.name, id: id)
      }
    }
  }

  /// Returns the fields to give a document for those that a caller gives it who does not write some of them: these stay
  /// as they are, and have to be given as such where they are given.
  private func keepingFields(
    _ value: DraftValue, for property: Int, of row: RowAddress, id: Mixed
  ) throws(StorageError) -> DraftValue {
    let (kept, type) = (conditions.keptFields(in: row.table), catalog.tables[row.table].objectType)
    guard !kept.isEmpty, property == type.fieldsIndex, case .map(let given) = value else { return value }
    let values = try present.values(of: [property], in: row, under: nil)
    guard
      case .map(let stored)? = try? type.properties[property].type.draft(
        from: .document(values), in: catalog.schema)
    else { throw .corrupt("fields that are none") }
    let remaining = stored.filter { kept.contains(ExactText($0.key)) }
    for entry in given where kept.contains(ExactText(entry.key)) {
      let isSame = remaining.contains { $0.key.compareBytes(entry.key) == 0 && $0.value == entry.value }
      guard isSame else { throw .notPermitted(objectType: type.name, id: id) }
    }
    let others = given.filter { !kept.contains(ExactText($0.key)) }
    return .map((others + remaining).sorted { $0.key.compareBytes($1.key) < 0 })
  }

  private func delete(_ row: RowAddress, _ id: Mixed) throws(StorageError) -> OperationOutcome {
    try capture.willDelete(row, id: id)
    try linkRemover.unlink(row)
    try objects.delete(row)
    return OperationOutcome(row: row, id: id, effect: .deleted)
  }

  // Parts of objects

  private func update(
    _ row: RowAddress, id: Mixed, by patch: ObjectPatch
  ) throws(StorageError) -> OperationOutcome {
    try admit(patch.elementCount, to: row.table)
    var patch = try visible.patch(storing: patch, for: row)
    patch.changes.removeAll { updateTimes.contains($0.property, in: row.table) }
    let type = catalog.tables[row.table].objectType
    for change in patch.changes {
      if change.property == type.primaryKeyIndex {
        // Naming the key that it has is no change; another one would be another object.
        guard case .assign(.value(let given)) = change.value, given.isSameKey(as: id) else {
          throw .primaryKeyChanged(objectType: type.name, id: id)
        }
        continue
      }
      // Changes of single entries are captured as such.
      if !change.value.isMerge { try capture.willChange(change.property, of: row, id: id) }
    }
    try properties.apply(patch.changes.filter { $0.property != type.primaryKeyIndex }, to: row)
    return OperationOutcome(row: row, id: id, effect: patch.changes.isEmpty ? .unchanged : .updated)
  }

  /// Changes an object as an edit makes of what it holds now.
  private func edit(
    _ row: RowAddress, id: Mixed, by edit: ObjectEdit
  ) throws(StorageError) -> OperationOutcome {
    // One edit may take a second (``ObjectEditor``).
    try context.checkDeadline(cost: WriteDeadline.stride)
    let type = catalog.tables[row.table].objectType
    let values = try present.values(of: edit.properties, in: row, under: visible.visibility)
    let patch: ObjectPatch
    do throws(EditError) {
      patch = try type.apply(edit, to: values, in: catalog.schema, upTo: bounds.size ?? .max)
    } catch {
      switch error {
      case .tooLarge(let limit): throw .objectTooLarge(objectType: type.name, limit: limit)
      case .inapplicable(let error): throw .inapplicable(error)
      case .invalid(let error): throw .invalid(error)
      }
    }
    return try update(row, id: id, by: patch)
  }

  /// Changes what a path leads to, one statement or a few, and one small change in the log.
  private func change(
    _ row: RowAddress, at path: ResourcePath, _ change: PropertyChange, precondition: Operation.Precondition
  ) throws(StorageError) -> OperationOutcome {
    let location = try visible.place(visible.locator.location(of: path, from: row))
    try admit(change.elementCount, to: location.owner.table)
    try conditions.admit(location.owner, id: try capture.identifier(of: location.owner))
    try check(precondition, location)
    if location.root == nil, updateTimes.contains(location.property, in: location.holder.table) {
      return OperationOutcome(
        row: location.owner, id: try capture.identifier(of: location.owner), effect: .unchanged)
    }
    var effect = Commit.Result.Effect.updated
    if case .assign = change, case .key? = location.element, try !exists(location) { effect = .created }
    for change in try visible.changes(storing: change, at: location) {
      try properties.perform(change, at: location)
    }
    return OperationOutcome(
      row: location.owner, id: try capture.identifier(of: location.owner), effect: effect)
  }

  // Objects by their rows

  /// Changes what is at a place; in an embedded object, that is a change of the object that it belongs to.
  func change(_ place: RowPlace, by change: PropertyChange) throws(StorageError) {
    try admit(change.elementCount, to: place.row.table)
    guard let owner = try links.root(of: place.property, in: place.row) else {
      throw .objectNotFound(
        objectType: catalog.tables[place.row.table].objectType.name, id: .int(place.row.key))
    }
    let isOwn = owner.row == place.row
    if isOwn, updateTimes.contains(place.property, in: place.row.table) { return }
    let element: Location.Element? =
      switch place.element {
      case .key(let key)?: .key(key)
      case .index(let index)?: .index(index)
      case nil: nil
      }
    try properties.perform(
      change,
      at: Location(
        owner: owner.row, holder: place.row,
        root: isOwn ? nil : Location.Root(property: owner.property, element: nil),
        property: place.property, element: element, nested: place.nested))
  }

  /// Deletes an object that is not embedded.
  func delete(_ row: RowAddress) throws(StorageError) {
    _ = try delete(row, try capture.identifier(of: row))
  }

  /// Whether there is something at a place in the file.
  private func exists(_ location: Location) throws(StorageError) -> Bool {
    try Locator(session: statements.session).exists(location)
  }

  /// Checks a precondition of a place: versions are the owner's; whether there is something is asked of the place
  /// itself.
  private func check(
    _ precondition: Operation.Precondition, _ location: Location
  ) throws(StorageError) {
    guard precondition != .none else { return }
    let version = try statements.version(of: location.owner)
    let holds =
      switch precondition {
      case .none: true
      case .version(let allowed): version.map { allowed.contains($0) } ?? false
      case .exists: try exists(location)
      case .absent: try !exists(location)
      }
    guard holds else { throw .versionMismatch(current: version) }
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

extension Operation {
  /// Returns the operation on the object as the store has its identifier: numbers of different types are one identifier of a
  /// document.
  fileprivate func naming(_ statements: WriteStatements) throws(StorageError) -> Operation {
    guard statements.hasSchemaless else { return self }
    func stored(_ objectType: String, _ id: Mixed) throws(StorageError) -> Mixed {
      let table = try statements.catalog.topLevelIndex(of: objectType)
      guard statements.catalog.tables[table].objectType.isSchemaless,
        let found = try statements.find(table, id)
      else { return id }
      return try statements.identifier(of: found.row)
    }
    switch self {
    case .create, .each: return self
    case .put(let name, let id, let draft, let precondition):
      return .put(
        objectType: name, id: try stored(name, id), draft: draft, precondition: precondition)
    case .update(let name, let id, let patch, let precondition):
      return .update(objectType: name, id: try stored(name, id), patch: patch, precondition: precondition)
    case .edit(let name, let id, let edit, let precondition):
      return .edit(objectType: name, id: try stored(name, id), edit: edit, precondition: precondition)
    case .change(let name, let id, let path, let change, let precondition):
      return .change(
        objectType: name, id: try stored(name, id), path: path, change: change, precondition: precondition)
    case .delete(let name, let id, let precondition):
      return .delete(objectType: name, id: try stored(name, id), precondition: precondition)
    }
  }
}
