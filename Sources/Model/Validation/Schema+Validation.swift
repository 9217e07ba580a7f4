extension Schema {
  /// Takes classes and holds them to all rules.
  public init(validating objectTypes: [ObjectType]) throws(SchemaError) {
    self.init(objectTypes)
    try validate()
  }

  /// Throws every rule that is broken, in the order of the classes and properties.
  public func validate() throws(SchemaError) {
    var problems: [SchemaProblem] = []
    for (position, objectType) in objectTypes.enumerated() {
      if objectTypes[..<position].contains(where: { $0.name == objectType.name }) {
        problems.append(SchemaProblem(objectType: objectType.name, .duplicateClass))
      }
      objectType.validate(in: self, problems: &problems)
    }
    if !problems.isEmpty { throw SchemaError(problems) }
  }
}

extension ObjectType {
  func validate(in schema: Schema, problems: inout [SchemaProblem]) {
    func report(_ rule: SchemaRule, property: String? = nil) {
      problems.append(SchemaProblem(objectType: name, property: property, rule))
    }
    if let rule = NameRules.brokenRule(ofClass: name) { report(.illegalName(rule)) }
    if properties.count > NameRules.mostProperties {
      report(.tooManyProperties(limit: NameRules.mostProperties))
    }
    if let primaryKey, isEmbedded { report(.primaryKeyOnEmbedded, property: primaryKey.name) }
    var names: Set<String> = []
    var storedNames: Set<String> = []
    for (position, property) in properties.enumerated() {
      if !names.insert(property.name).inserted { report(.duplicateProperty, property: property.name) }
      if !storedNames.insert(property.storedName).inserted {
        report(.duplicateStoredName(property.storedName), property: property.name)
      }
      let rules = property.brokenRules(in: schema, of: self, isPrimaryKey: position == primaryKeyIndex)
      for rule in rules { report(rule, property: property.name) }
    }
    for rule in brokenProjectionRules(in: schema) { report(rule) }
    for rule in brokenIndexRules(in: schema) { report(rule) }
    for rule in constraints.brokenRules(of: self, in: schema) { report(rule) }
  }
}
