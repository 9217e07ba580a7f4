import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSharing

/// Performs operations on single objects: finds each, checks preconditions and conditions, has the change captured, and
/// then made. Owns no table.
final class ObjectWriter {
  /// The properties of a class that an edit depends on.
  private struct EditShape: Hashable {
    let table: Int
    let properties: [Int]
  }

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
  private let locator: Locator
  private let sizeLimit: Int?
  /// Readers of the present values that edits depend on.
  private var editReaders = GenerationalCache<EditShape, ObjectReader>(budget: 512)
  private var catalog: Catalog { statements.catalog }

  init(_ parts: WriteParts, conditions: ConditionChecks, sizeLimit: Int?) {
    statements = parts.base.statements
    objects = parts.objects
    links = parts.links
    capture = parts.capture
    self.conditions = conditions
    context = parts.base.context
    self.sizeLimit = sizeLimit
    locator = Locator(session: statements.session)
    let lists = ListWriter(parts)
    properties = PropertyWriter(parts, lists: lists)
    linkRemover = LinkRemover(parts, lists: lists)
  }

  /// Performs an operation on one object.
  func perform(_ operation: Operation) throws(StorageError) -> OperationOutcome {
    switch operation {
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
    case .delete: _ = try delete(row, id)
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
    guard let sizeLimit, elements > sizeLimit / ObjectWriter.leastElementSize else { return }
    throw .objectTooLarge(objectType: catalog.tables[table].objectType.name, limit: sizeLimit)
  }

  // Whole objects

  private func create(
    _ draft: ObjectDraft, _ policy: Operation.UpdatePolicy, in table: Int
  ) throws(StorageError) -> OperationOutcome {
    try admit(draft.elementCount, to: table)
    let id = identifier(of: draft, table)
    // Whether there is such an object already, the file says when it takes the new one; but not of null keys, which
    // are distinct to SQLite.
    if policy == .error, id != .null { return try insert(draft, id: id, in: table) }
    if let id, let found = try statements.find(table, id) {
      guard policy != .error else {
        throw .objectExists(objectType: catalog.tables[table].objectType.name, id: id)
      }
      return try overwrite(found.row, id, with: draft, ignoringEqual: policy == .modified)
    }
    guard policy != .error else { return try insert(draft, id: id, in: table) }
    // Only now it is known that what the draft leaves out needs a default.
    return try insert(complete(draft, table), id: id, in: table)
  }

  private func complete(_ draft: ObjectDraft, _ table: Int) throws(StorageError) -> ObjectDraft {
    do throws(ValidationError) {
      return try catalog.tables[table].objectType.complete(draft, in: catalog.schema)
    } catch {
      throw .invalid(error)
    }
  }

  /// Writes the given properties of an object that is there.
  private func overwrite(
    _ row: RowAddress, _ id: Mixed, with draft: ObjectDraft, ignoringEqual: Bool
  ) throws(StorageError) -> OperationOutcome {
    try conditions.admit(row, id: id)
    let primaryKey = catalog.tables[row.table].objectType.primaryKeyIndex
    for assignment in draft.assignments where assignment.property != primaryKey {
      try capture.willChange(assignment.property, of: row, id: id, ignoringEqual: ignoringEqual)
      try objects.assign(assignment.value, to: assignment.property, of: row)
    }
    return OperationOutcome(row: row, id: id, effect: .updated)
  }

  private func insert(
    _ draft: ObjectDraft, id: Mixed?, in table: Int
  ) throws(StorageError) -> OperationOutcome {
    let type = catalog.tables[table].objectType
    let reference =
      links.isComplete
      ? nil
      : id.flatMap {
        links.takeReference(to: ForwardReferences.Target(table: table, identifier: $0))
      }
    let row = try objects.makeRow(in: table, id: id, for: reference)
    let identity = type.primaryKey == nil ? .int(row.key) : id ?? .null
    capture.didCreate(row, id: identity, from: draft)
    if draft.assignments.contains(where: { $0.value.isLinking(to: type.name, identity) }) {
      let target = ForwardReferences.Target(table: table, identifier: identity)
      try links.referring(to: target, key: row.key) { () throws(StorageError) in
        try objects.add(row, id: identity, draft)
      }
    } else {
      try objects.add(row, id: identity, draft)
    }
    if let reference { try links.resolve(reference, to: row) }
    conditions.didCreate(row)
    return OperationOutcome(row: row, id: identity, effect: .created)
  }

  /// Makes an object exactly the draft.
  private func put(
    _ draft: ObjectDraft, id: Mixed, in table: Int, _ precondition: Operation.Precondition
  ) throws(StorageError) -> OperationOutcome {
    try admit(draft.elementCount, to: table)
    let type = catalog.tables[table].objectType
    if let given = identifier(of: draft, table), given != id {
      throw .primaryKeyChanged(objectType: type.name, id: id)
    }
    guard let row = try findAny(table, id: id, precondition) else {
      return try insert(draft, id: id, in: table)
    }
    var given = draft.assignments[...]
    for (index, property) in type.properties.enumerated() {
      let assignment = given.first?.property == index ? given.removeFirst() : nil
      if case .linkingObjects = property.type { continue }
      guard index != type.primaryKeyIndex else { continue }
      try capture.willChange(index, of: row, id: id)
      try objects.assign(assignment?.value ?? property.type.emptyValue, to: index, of: row)
    }
    return OperationOutcome(row: row, id: id, effect: .updated)
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
    let type = catalog.tables[row.table].objectType
    for change in patch.changes {
      if change.property == type.primaryKeyIndex {
        // Naming the key that it has is no change; another one would be another object.
        guard case .assign(.value(id)) = change.value else {
          throw .primaryKeyChanged(objectType: type.name, id: id)
        }
        continue
      }
      // Changes of single entries are captured as such.
      if !change.value.isMerge { try capture.willChange(change.property, of: row, id: id) }
      try properties.apply(change, to: row)
    }
    return OperationOutcome(row: row, id: id, effect: patch.changes.isEmpty ? .unchanged : .updated)
  }

  /// Changes an object as an edit makes of what it holds now.
  private func edit(
    _ row: RowAddress, id: Mixed, by edit: ObjectEdit
  ) throws(StorageError) -> OperationOutcome {
    // One edit may take a second (``ObjectEditor``).
    try context.checkDeadline(cost: WriteDeadline.stride)
    let type = catalog.tables[row.table].objectType
    let values = try values(of: EditShape(table: row.table, properties: edit.properties), row.key)
    let patch: ObjectPatch
    do throws(EditError) {
      patch = try type.apply(edit, to: values, in: catalog.schema, upTo: sizeLimit ?? .max)
    } catch {
      switch error {
      case .tooLarge(let limit): throw .objectTooLarge(objectType: type.name, limit: limit)
      case .inapplicable(let error): throw .inapplicable(error)
      case .invalid(let error): throw .invalid(error)
      }
    }
    return try update(row, id: id, by: patch)
  }

  private func values(of shape: EditShape, _ key: Int64) throws(StorageError) -> Document {
    var builder = ValueBuilder()
    try editReader(shape).write(key, to: &builder)
    guard case .document(let values) = builder.finish() else { throw .corrupt("object without row") }
    return values
  }

  private func editReader(_ shape: EditShape) -> ObjectReader {
    if let reader = editReaders[shape] { return reader }
    let table = catalog.tables[shape.table]
    let projection = Projection(
      objectType: table.objectType.name,
      fields: shape.properties.map { Projection.Field(property: $0, target: nil) }, showsKey: false)
    let reader = ObjectReader(table, projection: projection, in: statements.session)
    // Edits come from requests, so that the number of their shapes has no bound of its own.
    editReaders.add(reader, for: shape)
    return reader
  }

  /// Changes what a path leads to, one statement or a few, and one small change in the log.
  private func change(
    _ row: RowAddress, at path: ResourcePath, _ change: PropertyChange, precondition: Operation.Precondition
  ) throws(StorageError) -> OperationOutcome {
    let location = try locator.location(of: path, from: row)
    try admit(change.elementCount, to: location.owner.table)
    try conditions.admit(location.owner, id: try capture.identifier(of: location.owner))
    try check(precondition, location)
    var effect = Commit.Result.Effect.updated
    if case .assign = change, case .key? = location.element, try !locator.exists(location) {
      effect = .created
    }
    try properties.perform(change, at: location)
    return OperationOutcome(
      row: location.owner, id: try capture.identifier(of: location.owner), effect: effect)
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
      case .exists: try locator.exists(location)
      case .absent: try !locator.exists(location)
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
