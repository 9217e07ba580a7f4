public import GatehouseBSON

extension ObjectType {
  /// The name under which an object's key shows in classes without primary key.
  public static let keyName = "_key"

  /// Whether `_key` identifies the objects of the class.
  public var hasObjectKey: Bool {
    primaryKeyIndex == nil && !isEmbedded
  }

  /// The operation that a client's values are for.
  public enum DraftMode: Hashable, Sendable {
    /// A new object: properties that are left out get the schema's default, and a primary key that is an ObjectId or a
    /// UUID a new one; other required ones must not be left out.
    case create
    /// The object that is named elsewhere (a URL) becomes this: as `create`, but the primary key may be
    /// left out, and so may the properties at the positions, which keep what they hold.
    case replace(keeping: Set<Int> = [])
    /// An object that may exist (`UpdatePolicy` other than `error`): only what is given is checked, and a primary key that is
    /// left out is generated, as there is no such object. Who
    /// creates the object uses ``ObjectType/complete(_:in:)``.
    case update
  }

  /// Reads an object's values from plain JSON, Extended JSON or BSON.
  public func draft(
    from value: Value, in schema: Schema, mode: DraftMode
  ) throws(ValidationError) -> ObjectDraft {
    let document = try document(value)
    var reader = InputReader(schema: schema)
    var draft = reader.draft(document, of: self, depth: 1)
    switch mode {
    case .create: reader.complete(&draft, of: self)
    case .replace(let kept):
      reader.complete(&draft, of: self, except: primaryKeyIndex.map { kept.union([$0]) } ?? kept)
    case .update: reader.identify(&draft, of: self)
    }
    try reader.throwProblems()
    return draft
  }

  /// Gives the properties that a draft leaves out the defaults of the schema, and refuses a draft that
  /// leaves out a required property. What is null or empty by nature stays out.
  public func complete(_ draft: ObjectDraft, in schema: Schema) throws(ValidationError) -> ObjectDraft {
    var reader = InputReader(schema: schema)
    var draft = draft
    reader.complete(&draft, of: self)
    try reader.throwProblems()
    return draft
  }

  /// Reads a merge patch (RFC 7396) from plain JSON, Extended JSON or BSON.
  public func patch(from value: Value, in schema: Schema) throws(ValidationError) -> ObjectPatch {
    let document = try document(value)
    var reader = InputReader(schema: schema)
    let patch = reader.patch(document, of: self, depth: 1)
    try reader.throwProblems()
    precondition(
      zip(patch.changes, patch.changes.dropFirst()).allSatisfy { $0.property < $1.property },
      "a patch has each property once, in the order of the class")
    return patch
  }

  /// The object that a patch makes where there is none: what it assigns, and the schema's defaults.
  public func draft(from patch: ObjectPatch, in schema: Schema) throws(ValidationError) -> ObjectDraft {
    var reader = InputReader(schema: schema)
    let draft = reader.draft(from: patch, of: self)
    try reader.throwProblems()
    return draft
  }

  private func document(_ value: Value) throws(ValidationError) -> Document {
    if case .document(let document) = value { return document }
    throw ValidationError([ValidationProblem(pointer: "", .notADocument(found: ValueKind(value)))])
  }

  /// Where the property of that name is, looking first where clients that follow the schema's order have it.
  @inline(__always)
  func index(of name: String, expected: Int) -> Int? {
    // Past a few that are left out, hashing is as fast.
    for index in expected..<max(expected, min(expected + 4, properties.count))
    where properties[index].name == name && (hidden.isEmpty || !hidden.contains(index)) {
      return index
    }
    return self.index(of: name)
  }
}
