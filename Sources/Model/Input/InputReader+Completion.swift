import GatehouseBSON

extension InputReader {
  /// Gives the properties that the draft leaves out the defaults of the schema, and reports those that must
  /// not be left out. Properties that are null or empty by nature stay out: the store knows that itself.
  mutating func complete(_ draft: inout ObjectDraft, of objectType: ObjectType, except kept: Set<Int> = []) {
    if draft.assignments.count == objectType.properties.count { return }
    var given = draft.assignments.startIndex
    for index in objectType.properties.indices {
      if given < draft.assignments.endIndex, draft.assignments[given].property == index {
        given += 1
      } else if !kept.contains(index) {
        let property = objectType.properties[index]
        let generated = property.generatedDefault ?? objectType.generatedKey(at: index)
        // The store knows which number comes next.
        if generated == .autoincrement { continue }
        let value =
          generated.map { .value($0.next()) }
          ?? substitute(for: property, isHidden: objectType.hidden.contains(index))
        guard let value else { continue }
        draft.assignments.insert(ObjectDraft.Assignment(property: index, value: value), at: given)
        if generated != nil { draft.generated.append(index) }
        given += 1
      }
    }
    precondition(
      given == draft.assignments.endIndex, "a draft has each property once, in the order of the class")
  }

  /// Gives a draft that leaves out the primary key one that nobody has, where the class has such.
  func identify(_ draft: inout ObjectDraft, of objectType: ObjectType) {
    guard let index = objectType.primaryKeyIndex, let generated = objectType.generatedKey(at: index) else {
      return
    }
    let place = draft.assignments.firstIndex { $0.property >= index } ?? draft.assignments.endIndex
    if place < draft.assignments.endIndex, draft.assignments[place].property == index { return }
    draft.assignments.insert(
      ObjectDraft.Assignment(property: index, value: .value(generated.next())), at: place)
    draft.generated.append(index)
  }

  /// The default of a property that was left out, if it needs one to be stored. That somebody leaves out what they do not
  /// know of is no mistake of theirs.
  private mutating func substitute(for property: Property, isHidden: Bool) -> DraftValue? {
    let mark = problems.count
    defer { locate(from: mark, property.name) }
    if let defaultValue = property.defaultValue { return value(defaultValue, as: property.type, depth: 0) }
    if property.isRequiredWithoutDefault, !isHidden { report(.missing) }
    return nil
  }
}

extension ObjectType {
  /// Returns what a primary key at that index is when a creation leaves it out; nil: it must not, or is none.
  fileprivate func generatedKey(at index: Int) -> GeneratedValue? {
    index == primaryKeyIndex ? GeneratedValue(primaryKeyOf: properties[index].type) : nil
  }
}

extension GeneratedValue {
  /// Returns another value with each call.
  fileprivate func next() -> Mixed {
    switch self {
    case .now: .date(.now)
    case .objectID: .objectID(.generate())
    case .uuid: .uuid(.random())
    case .autoincrement: .null
    }
  }
}

extension InputReader {
  /// Returns the draft of the object that a patch creates where there is none yet.
  mutating func draft(from patch: ObjectPatch, of objectType: ObjectType) -> ObjectDraft {
    var draft = ObjectDraft(assignments: [])
    for change in patch.changes {
      let mark = problems.count
      let property = objectType.properties[change.property]
      let value = value(of: change.value, as: property.type)
      draft.assignments.append(ObjectDraft.Assignment(property: change.property, value: value))
      locate(from: mark, property.name)
    }
    complete(&draft, of: objectType)
    return draft
  }

  private mutating func value(of change: PatchValue, as type: PropertyType) -> DraftValue {
    switch change {
    case .assign(let value): return value
    case .merge(let entries):
      return .map(
        entries.compactMap { entry in entry.value.map { DraftValue.Entry(key: entry.key, value: $0) } })
    case .patch(let patch):
      guard case .one(.object(let name), _) = type, let target = schema[name] else {
        return .value(.null)
      }
      return .embedded(draft(from: patch, of: target))
    }
  }
}
