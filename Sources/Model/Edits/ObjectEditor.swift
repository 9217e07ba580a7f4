import GatehouseBSON

/// Applies the actions of an edit to the values of one object, one after the other.
///
/// Everybody's writes wait meanwhile, and copies of copies grow without end: what an edit may do is counted
/// (``mostWork``).
struct ObjectEditor {
  /// In comparisons of names, or bytes; about a second.
  static let mostWork = 1 << 26
  /// The work of copying a value, beside its bytes: to read it by its type, and to write it.
  static let copyWork = 1 << 8

  private var values: Value
  private var work = 0
  private let schema: Schema
  /// The positions of the properties that have been written.
  private var written: Set<Int> = []

  init(_ values: Document, schema: Schema) {
    self.values = .document(values)
    self.schema = schema
  }

  /// The values of the properties that have been written; they may have `limit` bytes in all.
  func patch(of objectType: ObjectType, upTo limit: Int) throws(EditError) -> ObjectPatch {
    var reader = InputReader(schema: schema)
    var patch = ObjectPatch(changes: [])
    guard case .document(let document) = values else { return patch }
    var room = min(limit, .max - 1)
    for index in written.sorted() {
      let property = objectType.properties[index]
      if index == objectType.fieldsIndex {
        try reader.patch(&patch, writing: document, at: index, of: objectType, upTo: room)
        continue
      }
      room -= document[property.name]?.size(upTo: room + 1) ?? 0
      guard room >= 0 else { throw .tooLarge(limit: limit) }
      let mark = reader.problems.count
      if let value = reader.value(document[property.name] ?? .null, as: property.type, depth: 1) {
        patch.changes.append(ObjectPatch.Change(property: index, value: .assign(value)))
      }
      reader.locate(from: mark, property.name)
    }
    do { try reader.throwProblems() } catch { throw .invalid(error) }
    precondition(patch.changes.count <= written.count, "an edit writes what its actions have written")
    return patch
  }

  mutating func perform(_ action: ObjectEdit.Action) throws(EditError) {
    do throws(ActionError) {
      try perform(action.change)
    } catch {
      switch error {
      case .edit(let reason): throw .inapplicable(EditConflict(pointer: action.pointer, reason: reason))
      case .rule(let rule):
        throw .invalid(ValidationError([ValidationProblem(pointer: action.pointer, rule)]))
      }
    }
  }

  /// Why an action stops, wherever it stands.
  enum ActionError: Error {
    case edit(EditConflict.Reason)
    case rule(ValidationRule)
  }

  private mutating func perform(_ change: ObjectEdit.Change) throws(ActionError) {
    for path in change.paths { try spend(onFinding: path) }
    switch change {
    case .add(let path, let value): try add(value, at: path)
    case .remove(let path): _ = try remove(path)
    case .replace(let path, let value):
      _ = try self.value(at: path)
      try set(value, at: path)
    case .move(let source, let target):
      let value = try remove(source)
      try spend(onCopying: value)
      try check(value, fits: target)
      try add(value, at: target)
    case .copy(let source, let target):
      let value = try self.value(at: source)
      try spend(onCopying: value)
      try check(value, fits: target)
      try add(value, at: target)
    case .test(let path, let expected):
      try spend(onCopying: value(at: path))
      guard try draft(of: value(at: path), as: path.type).isSame(as: expected, isSet: path.isSet) else {
        throw .edit(.testFailed)
      }
    case .set(let path, let value): try set(value, at: path)
    case .unset(let path): try unset(path)
    case .increase(let path, let amount): try increase(path, by: amount)
    case .minimum(let path, let bound, let value): try clamp(path, to: bound, writtenAs: value, sign: -1)
    case .maximum(let path, let bound, let value): try clamp(path, to: bound, writtenAs: value, sign: 1)
    case .push(let path, let values, let position): try push(values, at: path, position)
    case .addToSet(let path, let values): try addToSet(values, at: path)
    case .pull(let path, let value): try pull(value, at: path)
    }
  }

  mutating func spend(_ work: Int) throws(ActionError) {
    precondition(work >= 0, "work that was done is not taken back")
    self.work += work
    guard self.work <= ObjectEditor.mostWork else { throw .rule(.tooMuchWork) }
  }

  private mutating func spend(onFinding path: EditPath) throws(ActionError) {
    var value = values
    var breadth = 1
    for step in path.steps {
      breadth += value.breadth
      guard let next = value.part(step) else { break }
      value = next
    }
    try spend(breadth)
  }

  private mutating func spend(onCopying value: Value) throws(ActionError) {
    try spend(value.size(upTo: ObjectEditor.mostWork + 1, perValue: ObjectEditor.copyWork))
  }

  func value(at path: EditPath) throws(ActionError) -> Value {
    var value = values
    for step in path.steps {
      guard let next = value.part(step) else { throw .edit(.pathNotFound) }
      value = next
    }
    return value
  }

  mutating func add(_ value: Value, at path: EditPath) throws(ActionError) {
    try change(path) { $0.insert(value, at: $1) }
  }

  /// Puts the value in place of what is there; an entry of a map need not be there yet.
  mutating func set(_ value: Value, at path: EditPath) throws(ActionError) {
    try change(path) { $0.replace(with: value, at: $1) }
  }

  private mutating func remove(_ path: EditPath) throws(ActionError) -> Value {
    let value = try self.value(at: path)
    try change(path) { $0.remove($1) }
    return value
  }

  private mutating func unset(_ path: EditPath) throws(ActionError) {
    switch path.steps.last {
    // The others keep their places (MongoDB, $unset).
    case .index?: try set(.null, at: path)
    case .any(let token)? where Int(pathIndex: token.text) != nil: try set(.null, at: path)
    case .key?, .any?:
      // A missing value need not be taken away.
      do throws(ActionError) { _ = try remove(path) } catch {
        guard case .edit(.pathNotFound) = error else { throw error }
      }
    case .property?, .end?, nil: _ = try remove(path)
    }
  }

  /// `body` gets what holds the place, and the last step; false: there is no such place.
  private mutating func change(
    _ path: EditPath, _ body: (inout Value, EditPath.Step) -> Bool
  ) throws(ActionError) {
    guard values.change(path.steps[...], body) else { throw .edit(.pathNotFound) }
    guard case .document = values else { preconditionFailure("an object that is changed stays one") }
    written.insert(path.property)
  }

  func draft(of value: Value, as type: PropertyType) throws(ActionError) -> DraftValue {
    var reader = InputReader(schema: schema)
    // Where a value may have fewer types, the edit's reader has refused others.
    reader.takesAllTypes = true
    let draft = reader.value(value, as: type, depth: 1)
    guard let draft, reader.problems.isEmpty else {
      throw .rule(reader.problems.first?.rule ?? .wrongType(expected: type, found: ValueKind(value)))
    }
    return draft
  }

  private func check(_ value: Value, fits path: EditPath) throws(ActionError) {
    _ = try draft(of: value, as: path.type)
  }
}

extension EditPath {
  fileprivate var isSet: Bool {
    if case .set = type { true } else { false }
  }
}

extension InputReader {
  /// Has a patch give an object of a schemaless class the fields of a document.
  fileprivate mutating func patch(
    _ patch: inout ObjectPatch, writing document: Document, at fields: Int, of objectType: ObjectType,
    upTo limit: Int
  ) throws(EditError) {
    takesAllTypes = true
    defer { takesAllTypes = false }
    let document = Document(document.elements.filter { objectType.index(of: $0.key) == nil })
    guard Value.document(document).size(upTo: limit + 1) <= limit else { throw .tooLarge(limit: limit) }
    if let value = value(.document(document), as: objectType.properties[fields].type, depth: 1) {
      patch.changes.append(ObjectPatch.Change(property: fields, value: .assign(value)))
    }
  }
}
