import GatehouseBSON

/// Turns what a client sent into values that fit the schema, and collects what does not fit.
///
/// Plain JSON's spellings and typed BSON values are both legal anywhere, so one reader serves all
/// representations. It runs for every object of an import: where nothing is wrong no text is built. A
/// problem gets its pointer on the way out, each level putting its own member in front (``locate(from:_:)``).
struct InputReader {
  /// The greatest depth of nesting: MongoDB's limit, and more than anyone has.
  static let deepest = 100

  let schema: Schema
  private(set) var problems: [ValidationProblem] = []
  /// Whether mixed values may have types that Realm's have not: those of documents may.
  var takesAllTypes = false

  init(schema: Schema) {
    self.schema = schema
  }

  /// Adds a problem with the value that is being read.
  mutating func report(_ rule: ValidationRule) {
    if problems.count < ValidationError.mostProblems {
      problems.append(ValidationProblem(pointer: "", rule))
    }
  }

  /// Tells the problems found since there were `mark` of them that they are inside `member`.
  @inline(__always)
  mutating func locate(from mark: Int, _ member: @autoclosure () -> String) {
    if problems.count != mark { prefix(from: mark, member()) }
  }

  private mutating func prefix(from mark: Int, _ member: String) {
    var prefix = "/"
    for scalar in member.unicodeScalars {
      switch scalar {
      case "~": prefix += "~0"
      case "/": prefix += "~1"
      default: prefix.unicodeScalars.append(scalar)
      }
    }
    precondition(mark < problems.count, "what is found in a member comes behind what was found before")
    for index in mark..<problems.count { problems[index].pointer = prefix + problems[index].pointer }
  }

  func throwProblems() throws(ValidationError) {
    if !problems.isEmpty { throw ValidationError(problems) }
  }
}

extension InputReader {
  /// The values of an object, in the order of its class, without those that it leaves out.
  mutating func draft(_ document: Document, of objectType: ObjectType, depth: Int) -> ObjectDraft {
    var draft = ObjectDraft(assignments: [])
    draft.assignments.reserveCapacity(objectType.properties.count)
    if let fields = objectType.fieldsIndex {
      return self.draft(document, of: objectType, fields, depth: depth)
    }
    var next = 0
    var isOrdered = true
    for element in document.elements {
      let mark = problems.count
      if let index = objectType.index(of: element.key, expected: next) {
        if index < next { isOrdered = false }
        next = index + 1
        let value = value(element.value, as: objectType.properties[index].type, depth: depth)
        // A value with a problem is kept too, so that it counts as given.
        draft.assignments.append(ObjectDraft.Assignment(property: index, value: value ?? .value(.null)))
      } else if element.key == ObjectType.keyName && objectType.hasObjectKey {
        draft.key = objectKey(element.value, isRepeated: draft.key != nil)
      } else {
        report(.unknownProperty)
      }
      locate(from: mark, element.key)
    }
    if !isOrdered { order(&draft.assignments, of: objectType) }
    return draft
  }

  /// Puts assignments in the order of the class, and keeps one of each property.
  private mutating func order(_ assignments: inout [ObjectDraft.Assignment], of objectType: ObjectType) {
    var ordered: [ObjectDraft.Assignment] = []
    ordered.reserveCapacity(assignments.count)
    for assignment in assignments.sorted(by: { $0.property < $1.property }) {
      if assignment.property == ordered.last?.property {
        let mark = problems.count
        report(.repeatedProperty)
        locate(from: mark, objectType.properties[assignment.property].name)
      } else {
        ordered.append(assignment)
      }
    }
    precondition(ordered.count == assignments.count || !problems.isEmpty, "what is given twice is a problem")
    assignments = ordered
  }

  mutating func objectKey(_ value: Value, isRepeated: Bool) -> ObjectKey? {
    if isRepeated { report(.repeatedProperty) }
    guard case .int(let key) = scalar(value, as: .int) else { return nil }
    if key < 0 { report(.outOfRange(.int)) }
    return ObjectKey(key)
  }

  /// A property's value, or nil and a problem.
  mutating func value(_ value: Value, as type: PropertyType, depth: Int) -> DraftValue? {
    switch type {
    case .one(let element, let optional):
      return self.element(value, as: element, optional: optional, depth: depth)
    case .list(let element, let optional):
      guard case .array(let values) = value else { return mismatch(value, type) }
      return list(values, of: element, optional: optional, isSet: false, depth: depth)
    case .set(let element, let optional):
      guard case .array(let values) = value else { return mismatch(value, type) }
      return list(values, of: element, optional: optional, isSet: true, depth: depth)
    case .map(let element, let optional):
      guard case .document(let document) = value else { return mismatch(value, type) }
      return map(document, of: element, optional: optional, depth: depth)
    case .linkingObjects:
      report(.readOnly)
      return nil
    }
  }

  mutating func mismatch(_ value: Value, _ type: PropertyType) -> DraftValue? {
    report(value == .null ? .null : .wrongType(expected: type, found: ValueKind(value)))
    return nil
  }

  /// A single value, or one of a collection.
  mutating func element(
    _ value: Value, as type: ElementType, optional: Bool, depth: Int
  ) -> DraftValue? {
    if case .null = value {
      if optional { return .value(.null) }
      report(.null)
      return nil
    }
    switch type {
    case .mixed: return mixed(value, depth: depth)
    case .object(let name): return object(value, of: name, depth: depth)
    default: return scalar(value, as: type).map { .value($0) }
    }
  }

  private mutating func list(
    _ values: [Value], of element: ElementType, optional: Bool, isSet: Bool, depth: Int
  ) -> DraftValue? {
    var drafts: [DraftValue] = []
    drafts.reserveCapacity(values.count)
    for index in values.indices {
      let mark = problems.count
      if let draft = self.element(values[index], as: element, optional: optional, depth: depth) {
        if isSet && draft.isCollection { report(.collectionInSet) }
        drafts.append(draft)
      }
      locate(from: mark, String(index))
    }
    return .list(drafts)
  }

  private mutating func map(
    _ document: Document, of element: ElementType, optional: Bool, depth: Int
  ) -> DraftValue? {
    var entries: [DraftValue.Entry] = []
    entries.reserveCapacity(document.elements.count)
    for member in document.elements {
      let mark = problems.count
      checkKey(member.key)
      if let draft = self.element(member.value, as: element, optional: optional, depth: depth) {
        entries.append(DraftValue.Entry(key: member.key, value: draft))
      }
      locate(from: mark, member.key)
    }
    order(&entries, key: \.key)
    return .map(entries)
  }

  mutating func checkKey(_ key: String) {
    if !NameRules.isLegal(key: key) { report(.illegalKey) }
  }

  /// Puts the entries of a map in bytewise order, which most clients send them in anyway.
  mutating func order<Entry>(_ entries: inout [Entry], key: (Entry) -> String) {
    guard entries.count > 1 else { return }
    let isOrdered = entries.indices.dropFirst().allSatisfy {
      key(entries[$0 - 1]).compareBytes(key(entries[$0])) < 0
    }
    if isOrdered { return }
    entries.sort { key($0).compareBytes(key($1)) < 0 }
    for index in entries.indices.dropFirst()
    where key(entries[index - 1]).compareBytes(key(entries[index])) == 0 {
      let mark = problems.count
      report(.repeatedKey)
      locate(from: mark, key(entries[index]))
    }
  }
}

extension DraftValue {
  /// Whether it is a list or a map.
  var isCollection: Bool {
    switch self {
    case .list, .map: true
    case .value, .link, .embedded: false
    }
  }
}
