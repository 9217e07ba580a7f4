/// Reads edits: the paths of their actions, and the values by the types that the paths lead to.
struct EditReader {
  /// Reads the values, and collects the problems of both.
  var input: InputReader

  init(schema: Schema) {
    input = InputReader(schema: schema)
  }

  func throwProblems() throws(ValidationError) {
    try input.throwProblems()
  }

  /// Returns the place that the tokens lead to in an object of the class, or nil and a problem.
  mutating func path(_ tokens: [String], in objectType: ObjectType) -> EditPath? {
    input.takesAllTypes = objectType.isSchemaless
    // No value is that deep.
    guard tokens.count <= InputReader.deepest + 1 else {
      input.report(.tooDeep(limit: InputReader.deepest))
      return nil
    }
    if let fields = objectType.fieldsIndex, let first = tokens.first, objectType.index(of: first) == nil {
      return path(tokens[...], in: .map(.mixed, optional: true), steps: [], from: fields)
    }
    guard let first = tokens.first, let index = objectType.index(of: first) else {
      let isKey = tokens.first == ObjectType.keyName && objectType.hasObjectKey
      input.report(tokens.isEmpty ? .malformedPath : isKey ? .readOnly : .unknownProperty)
      return nil
    }
    let type = objectType.properties[index].type
    return path(
      tokens.dropFirst(), in: type, steps: [.property(ExactText(first), empty: type.emptyDraft)], from: index)
  }

  /// Goes on with the tokens from a value of that type, to which the steps have led.
  private mutating func path(
    _ tokens: ArraySlice<String>, in start: PropertyType, steps: [EditPath.Step], from property: Int
  ) -> EditPath? {
    var (type, steps) = (start, steps)
    for token in tokens {
      guard let (step, next) = step(token, into: type) else { return nil }
      steps.append(step)
      type = next
    }
    if case .linkingObjects = type {
      input.report(.readOnly)
      return nil
    }
    precondition(!steps.isEmpty, "a path of an edit leads to something in the object")
    return EditPath(property: property, steps: steps, type: type)
  }

  private mutating func step(_ token: String, into type: PropertyType) -> (EditPath.Step, PropertyType)? {
    switch type {
    case .list(let element, let optional), .set(let element, let optional):
      if token == "-" { return (.end, .one(element, optional: optional)) }
      if let index = Int(pathIndex: token) { return (.index(index), .one(element, optional: optional)) }
      input.report(.malformedPath)
    case .map(let element, let optional):
      let mark = input.problems.count
      input.checkKey(token)
      if input.problems.count == mark { return (.key(ExactText(token)), .one(element, optional: optional)) }
    case .one(.mixed, _):
      let mark = input.problems.count
      input.checkKey(token)
      if input.problems.count == mark { return (.any(ExactText(token)), type) }
    case .one(.object(let name), _):
      if let target = input.schema[name], target.isEmbedded {
        if let property = target[token] {
          return (.property(ExactText(token), empty: property.type.emptyDraft), property.type)
        }
        input.report(.unknownProperty)
      } else {
        input.report(.noPath)
      }
    case .one, .linkingObjects: input.report(.noPath)
    }
    return nil
  }

  /// Whether the value at the path can be taken away; if not, there is a problem.
  mutating func isRemovable(_ path: EditPath) -> Bool {
    guard case .property? = path.steps.last, path.type.isRequired else { return true }
    input.report(.null)
    return false
  }

  /// Splits a JSON Pointer (RFC 6901) into its tokens; nil if it is malformed.
  static func tokens(pointer: String) -> [String]? {
    guard pointer.utf8.first == UInt8(ascii: "/") else { return pointer.isEmpty ? [] : nil }
    var tokens: [String] = []
    // By scalars: a slash before a combining mark is one character with it.
    for part in pointer.unicodeScalars.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let token = unescaped(Substring(part)) else { return nil }
      tokens.append(token)
    }
    return tokens
  }

  private static func unescaped(_ part: Substring) -> String? {
    guard part.utf8.contains(UInt8(ascii: "~")) else { return String(part) }
    var token = String.UnicodeScalarView()
    var scalars = part.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      guard scalar == "~" else {
        token.append(scalar)
        continue
      }
      switch scalars.next() {
      case "0"?: token.append("~")
      case "1"?: token.append("/")
      default: return nil
      }
    }
    return String(token)
  }
}

extension PropertyType {
  /// The value of a property that was never set: null, or an empty collection.
  var emptyDraft: DraftValue {
    switch self {
    case .one, .linkingObjects: .value(.null)
    case .list, .set: .list([])
    case .map: .map([])
    }
  }
}

extension Int {
  /// An array index of RFC 6901 §4, which counts from the beginning.
  init?(pathIndex token: String) {
    guard let index = ListIndex.index(token), index >= 0 else { return nil }
    self = index
  }
}
