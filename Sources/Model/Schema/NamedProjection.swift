/// A named selection of a class' properties that answers may show: Realm's `Projection`, kept in the schema.
public struct NamedProjection: Hashable, Sendable {
  /// One property of the projection.
  public struct Field: Hashable, Sendable {
    /// The property's name in answers.
    public let name: String
    /// Where the value comes from: `firstName`, `address.city`, `friends.firstName`.
    public let path: String

    public init(name: String, path: String) {
      self.name = name
      self.path = path
    }

    /// The names that ``path`` consists of.
    public var names: [String] {
      path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
  }

  public let name: String
  /// In the order in which they are shown.
  public let fields: [Field]
  /// The function that makes of an object what is shown, in place of ``fields``; nil: these say it.
  public let function: String?

  public init(name: String, fields: [Field]) {
    self.name = name
    self.fields = fields
    function = nil
  }

  public init(name: String, function: String) {
    self.name = name
    fields = []
    self.function = function
  }
}

extension ObjectType {
  /// The class with those projections.
  func projected(_ projections: [NamedProjection]) -> ObjectType {
    masked(hiding: hidden, projections: projections)
  }

  /// Where a path of names leads: a property of a class, through links and embedded objects; nil: nowhere.
  func property(at names: [String], in schema: Schema) -> Property? {
    var type = self
    for name in names.dropLast() {
      guard let target = type[name]?.type.target, let next = schema[target] else { return nil }
      type = next
    }
    return names.last.flatMap { type[$0] }
  }

  func brokenProjectionRules(in schema: Schema) -> [SchemaRule] {
    var rules: [SchemaRule] = []
    var names: Set<String> = []
    for projection in projections {
      if let rule = NameRules.brokenRule(ofProperty: projection.name) {
        rules.append(.illegalProjectionName(projection.name, rule))
      }
      if !names.insert(projection.name).inserted { rules.append(.duplicateProjection(projection.name)) }
      if projection.fields.isEmpty, projection.function?.isEmpty != false {
        rules.append(.emptyProjection(projection.name))
      }
      rules += projection.brokenRules(of: self, in: schema)
    }
    return rules
  }
}

extension NamedProjection {
  fileprivate func brokenRules(of type: ObjectType, in schema: Schema) -> [SchemaRule] {
    var rules: [SchemaRule] = []
    var names: Set<String> = []
    for field in fields {
      let isLegal = NameRules.brokenRule(ofProperty: field.name) == nil
      if !isLegal || !names.insert(field.name).inserted {
        rules.append(.illegalProjectionField(projection: name, field: field.name))
      }
      if field.names.count > NameRules.longestProjectionPath
        || type.property(at: field.names, in: schema) == nil
      {
        rules.append(.brokenProjectionPath(projection: name, field: field.name))
      }
    }
    return rules
  }
}

extension PropertyType {
  /// The class of the objects that the property leads to.
  fileprivate var target: String? {
    if case .linkingObjects(let target, _) = self { target } else { linkTarget }
  }
}
