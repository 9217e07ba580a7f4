import GatehouseBSON
import GatehouseModel

/// Finds what distinguishes two documents of a class, as the patch that makes one of the other: properties that are the same
/// are not written, so that nobody is told that they changed.
struct DocumentDifference {
  let schema: Schema
  /// The name of the class that the documents are of.
  private let objectType: String
  private(set) var problems: [ValidationProblem] = []

  init(of objectType: String, in schema: Schema) {
    self.objectType = objectType
    self.schema = schema
  }

  /// Returns the patch from one document of the class to another one with the same identifier.
  static func patch(
    from before: Document, to after: Document, of documents: DocumentClass
  ) throws(DataSourceError) -> ObjectPatch {
    var difference = DocumentDifference(of: documents.type.name, in: documents.schema)
    let patch =
      if let fields = documents.type.fieldsIndex {
        difference.patch(from: before, to: after, of: documents.type.properties[fields], at: fields)
      } else {
        difference.patch(from: before, to: after, of: documents.type, keyName: documents.keyName, at: "")
      }
    if !difference.problems.isEmpty { throw .invalidDocument(ValidationError(difference.problems)) }
    return patch
  }

  /// The fields of documents that may have any.
  private mutating func patch(
    from before: Document, to after: Document, of fields: Property, at index: Int
  ) -> ObjectPatch {
    func fieldsOf(_ document: Document) -> Value {
      .document(Document(document.elements.filter { $0.key != DocumentClass.idName }))
    }
    let change = change(from: fieldsOf(before), to: fieldsOf(after), of: fields, at: "")
    guard let change, change != .merge([]) else { return ObjectPatch(changes: []) }
    return ObjectPatch(changes: [ObjectPatch.Change(property: index, value: change)])
  }

  /// `keyName` nil: the objects are embedded, and have no identifier.
  private mutating func patch(
    from before: Document, to after: Document, of type: ObjectType, keyName: String?, at pointer: String
  ) -> ObjectPatch {
    var patch = ObjectPatch(changes: [])
    for element in after.elements {
      if keyName != nil, element.key == DocumentClass.idName { continue }
      if type[element.key] == nil || element.key == keyName {
        report(.unknownProperty, at: pointer + element.key.asPointer)
      }
    }
    for index in type.storedProperties where keyName == nil || index != type.primaryKeyIndex {
      let property = type.properties[index]
      let (old, new) = (before[property.name], after[property.name])
      if old == new { continue }
      guard
        let change = change(from: old, to: new, of: property, at: pointer + property.name.asPointer)
      else { continue }
      patch.changes.append(ObjectPatch.Change(property: index, value: change))
    }
    return patch
  }

  /// Nil where both are the same value to the class, or the new one is none.
  private mutating func change(
    from old: Value?, to new: Value?, of property: Property, at pointer: String
  ) -> PatchValue? {
    if case .one(.object(let name), _) = property.type, let target = schema[name], target.isEmbedded,
      case .document(let old)? = old, case .document(let new)? = new
    {
      let patch = patch(from: old, to: new, of: target, keyName: nil, at: pointer)
      return patch.changes.isEmpty ? nil : .patch(patch)
    }
    guard let value = draft(of: new, of: property, at: pointer) else { return nil }
    let present = old.flatMap { try? property.type.draft(from: $0, in: schema, of: objectType) }
    if present == value { return nil }
    if case .map(let entries) = value, case .map(let former)? = present, case .map = property.type {
      return merge(from: former, to: entries)
    }
    return .assign(value)
  }

  /// A field that is not there is null, or an empty collection.
  private mutating func draft(of value: Value?, of property: Property, at pointer: String) -> DraftValue? {
    guard let value else {
      switch property.type {
      case .list, .set: return .list([])
      case .map: return .map([])
      case .one(_, optional: true): return .value(.null)
      case .one, .linkingObjects:
        report(.missing, at: pointer)
        return nil
      }
    }
    do {
      return try property.type.draft(from: value, in: schema, of: objectType)
    } catch {
      for problem in error.problems { report(problem.rule, at: pointer + problem.pointer) }
      return nil
    }
  }

  /// Both are in the order of their keys.
  private func merge(from former: [DraftValue.Entry], to entries: [DraftValue.Entry]) -> PatchValue {
    var changes: [PatchValue.Entry] = []
    var (left, right) = (former[...], entries[...])
    while true {
      let order =
        switch (left.first, right.first) {
        case (let old?, let new?): old.key.compareBytes(new.key)
        case (_?, nil): -1
        case (nil, _?): 1
        case (nil, nil): 0
        }
      if left.isEmpty, right.isEmpty { return .merge(changes) }
      if order < 0, let old = left.popFirst() { changes.append(PatchValue.Entry(key: old.key, value: nil)) }
      if order >= 0, let new = right.popFirst() {
        let old = order == 0 ? left.popFirst() : nil
        if old?.value != new.value { changes.append(PatchValue.Entry(key: new.key, value: new.value)) }
      }
    }
  }

  private mutating func report(_ rule: ValidationRule, at pointer: String) {
    if problems.count < ValidationError.mostProblems {
      problems.append(ValidationProblem(pointer: pointer, rule))
    }
  }
}

extension String {
  /// The segment of a JSON Pointer.
  fileprivate var asPointer: String {
    "/" + replacing("~", with: "~0").replacing("/", with: "~1")
  }
}

extension ObjectDraft {
  /// The values that are something: what is left out is null, or an empty collection.
  var given: [Assignment] {
    assignments.compactMap { assignment in
      switch assignment.value {
      case .value(.null), .list([]), .map([]): nil
      case .embedded(let draft):
        Assignment(property: assignment.property, value: .embedded(ObjectDraft(assignments: draft.given)))
      case .value, .link, .list, .map: assignment
      }
    }
  }
}
