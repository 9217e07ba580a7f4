public import GatehouseBSON

extension ObjectType {
  private static let members = [
    "name", "primaryKey", "embedded", "asymmetric", "schemaless", "properties", "indexes", "unique", "check",
    "projections",
  ]

  /// Reads one class in realm-js' notation. Whether it is valid shows only within its schema.
  public init(notation: Value) throws(SchemaError) {
    var problems: [SchemaProblem] = []
    let objectType = ObjectType(notation: notation, position: 0, problems: &problems)
    guard let objectType, problems.isEmpty else { throw SchemaError(problems) }
    self = objectType
  }

  /// Adds what is wrong to `problems`; nil where nothing can be made of the notation.
  init?(notation: Value, position: Int, problems: inout [SchemaProblem]) {
    guard case .document(let document) = notation else {
      problems.append(SchemaProblem(objectType: nil, .notADocument(position: position)))
      return nil
    }
    guard case .string(let name) = document["name"] else {
      problems.append(SchemaProblem(objectType: nil, .nameMissing(position: position)))
      return nil
    }
    var members = NotationMembers(document, of: name, known: Self.members)
    let primaryKey = members.string("primaryKey")
    let kind = Self.kind(&members)
    if kind == .schemaless {
      members.checkSchemaless()
      let indexes = [Index](fieldsFrom: &members)
      problems += members.problems
      self = .schemaless(name, indexes: indexes)
      return
    }
    if members.value("properties") == nil { members.report(.memberMissing("properties")) }
    let elements = members.document("properties")?.elements ?? []
    if let primaryKey, !elements.contains(where: { $0.key == primaryKey }) {
      members.report(.primaryKeyMissing(primaryKey))
    }
    let projections = [NamedProjection](from: &members)
    let mark = problems.count
    var properties: [Property] = []
    for element in elements {
      let property = Property(
        name: element.key, notation: element.value, of: name, problems: &problems)
      if let property { properties.append(property) }
    }
    let indexes = [Index](
      notation: members.value("indexes"), of: properties, objectType: name, problems: &problems)
    let constraints = Constraints(from: &members, of: properties)
    problems = problems[..<mark] + members.problems + problems[mark...]
    self = ObjectType(
      name: name, kind: kind, properties: properties, primaryKey: primaryKey, indexes: indexes,
      projections: projections
    ).constrained(by: constraints)
  }

  private static func kind(_ members: inout NotationMembers) -> Kind {
    let (isEmbedded, isAsymmetric) = (members.bool("embedded") == true, members.bool("asymmetric") == true)
    if isEmbedded, isAsymmetric { members.report(.asymmetricEmbedded) }
    if members.bool("schemaless") == true { return .schemaless }
    return isEmbedded ? .embedded : isAsymmetric ? .asymmetric : .topLevel
  }

  /// The class in realm-js' notation; reading it gives an equal class.
  public var notation: Value {
    var document: Document = ["name": .string(name)]
    if let primaryKey { document.append("primaryKey", .string(primaryKey.name)) }
    switch kind {
    case .topLevel: break
    case .embedded: document.append("embedded", .bool(true))
    case .asymmetric: document.append("asymmetric", .bool(true))
    case .schemaless: document.append("schemaless", .bool(true))
    }
    let properties = namedProperties.map { Document.Element(key: $0.name, value: $0.notation) }
    document.append("properties", .document(Document(properties)))
    if !indexes.isEmpty { document.append("indexes", indexNotation) }
    constraints.append(to: &document, of: self)
    if !projections.isEmpty { document.append("projections", projections.notation) }
    return .document(document)
  }
}

extension NotationMembers {
  /// A schemaless class has the primary key that it has; beside it, only indexes can be said.
  fileprivate mutating func checkSchemaless() {
    refuse(["unique", "check", "projections"])
    for name in ["embedded", "asymmetric"] where bool(name) == true { report(.memberNotAllowed(name)) }
    if let key = string("primaryKey"), key != ObjectType.documentIDName {
      report(.memberNotAllowed("primaryKey"))
    }
    if let properties = document("properties"), properties != [ObjectType.documentIDName: .string("mixed")] {
      report(.memberNotAllowed("properties"))
    }
  }
}
