extension Schema {
  /// Returns the schema for somebody to whom some properties do not exist: no name leads to them, and nothing that is left
  /// names them. Positions of properties stay.
  ///
  /// - Parameters:
  ///   - hidden: For classes, the positions of those properties, which are no primary keys.
  ///   - fields: For schemaless classes, the names of those fields.
  public func masked(
    hiding hidden: [String: Set<Int>], fields: [String: Set<ExactText>] = [:]
  ) -> Schema {
    let hidden = withLinkingObjects(hidden)
    if hidden.isEmpty, fields.isEmpty { return self }
    let masked = Schema(
      objectTypes.map { type in
        let (properties, fields) = (hidden[type.name], fields[type.name])
        if properties == nil, fields == nil { return type }
        return type.masked(hiding: properties ?? [], projections: type.projections, fields: fields ?? [])
      }, of: self)
    let names = self.names(of: hidden)
    // A projection may lead to a hidden property of another class, and a check to one of an embedded class.
    return Schema(
      masked.objectTypes.map { type in
        let projections = type.projections.compactMap { $0.within(type, of: masked) }
        let constraints = type.constraints.withoutChecks(naming: names)
        if projections == type.projections, constraints == type.constraints { return type }
        return type.masked(hiding: type.hidden, projections: projections).constrained(by: constraints)
      }, of: self)
  }

  /// Returns the names of properties at positions in classes.
  public func names(of properties: [String: Set<Int>]) -> Set<String> {
    Set(properties.flatMap { name, positions in self[name].map { $0.names(at: Array(positions)) } ?? [] })
  }

  /// Adds the linking objects that come by a hidden property.
  private func withLinkingObjects(_ hidden: [String: Set<Int>]) -> [String: Set<Int>] {
    var hidden = hidden.filter { !$0.value.isEmpty }
    if hidden.isEmpty { return hidden }
    for type in objectTypes {
      for (index, property) in type.properties.enumerated() {
        if case .linkingObjects(let source, let name) = property.type,
          let position = self[source]?.index(of: name), hidden[source]?.contains(position) == true
        {
          hidden[type.name, default: []].insert(index)
        }
      }
    }
    return hidden
  }
}

extension NamedProjection {
  /// The projection without the fields that lead nowhere in the schema; nil: none remains.
  fileprivate func within(_ type: ObjectType, of schema: Schema) -> NamedProjection? {
    if function != nil { return self }
    let fields = fields.filter { type.property(at: $0.names, in: schema) != nil }
    return fields.isEmpty ? nil : NamedProjection(name: name, fields: fields)
  }
}
