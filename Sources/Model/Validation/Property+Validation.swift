extension Property {
  /// The rules that the property breaks as a member of that class.
  func brokenRules(in schema: Schema, of objectType: ObjectType, isPrimaryKey: Bool) -> [SchemaRule] {
    // The properties of documents are ours.
    if objectType.isSchemaless { return [] }
    var rules: [SchemaRule] = []
    if let rule = NameRules.brokenRule(ofProperty: name) { rules.append(.illegalName(rule)) }
    if storedName != name, let rule = NameRules.brokenRule(ofStored: storedName) {
      rules.append(.illegalStoredName(rule))
    }
    if let (container, element, optional) = type.stored {
      rules += Self.brokenRules(of: element, in: container, optional: optional, schema: schema)
    } else if case .linkingObjects(let origin, let property) = type {
      rules += Self.brokenRules(ofLinkingFrom: origin, property, to: objectType.name, in: schema)
    }
    if isPrimaryKey && !isPrimaryKeyType { rules.append(.illegalPrimaryKeyType) }
    if let rule = brokenIndexRule(isPrimaryKey: isPrimaryKey) { rules.append(rule) }
    if isUnique, !type.isUniquable(in: schema) { rules.append(.uniqueNotAllowed(name)) }
    let broken = brokenConstraintRules(in: objectType)
    rules += broken
    rules += brokenDefaultRules(
      in: schema, of: broken.isEmpty ? objectType.name : nil, isPrimaryKey: isPrimaryKey)
    return rules
  }

  /// A default that all objects share can neither identify nor be one of them. `objectType`: the class, whose rules for values it
  /// has to meet; nil: those are none.
  private func brokenDefaultRules(
    in schema: Schema, of objectType: String?, isPrimaryKey: Bool
  ) -> [SchemaRule] {
    guard let defaultValue else { return [] }
    if let generated = generatedDefault {
      if isPrimaryKey ? generated.isUnique : !generated.isForPrimaryKeys { return [] }
      if generated.isForPrimaryKeys { return [.defaultNotAllowed] }
    }
    guard let (_, element, _) = type.stored, !element.isObject, !isPrimaryKey else {
      return [.defaultNotAllowed]
    }
    var reader = InputReader(schema: schema)
    let value = reader.value(defaultValue, as: type, depth: 1)
    if let value, let objectType, reader.problems.isEmpty {
      return problems(ofDefault: value, of: objectType).map { .illegalDefault($0) }
    }
    return reader.problems.map { .illegalDefault($0) }
  }

  /// Nullability (C:object_schema.cpp:222-320), and what can be an element.
  private static func brokenRules(
    of element: ElementType, in container: PropertyType.Container, optional: Bool, schema: Schema
  ) -> [SchemaRule] {
    guard case .object(let name) = element else {
      return element == .mixed && !optional ? [.mixedNotOptional] : []
    }
    var rules: [SchemaRule] = []
    let target = schema[name]
    if target == nil { rules.append(.unknownObjectType(name)) }
    if target?.isAsymmetric == true { rules.append(.linkToAsymmetric(name)) }
    switch container {
    case .one: if !optional { rules.append(.linkNotOptional) }
    case .list, .set: if optional { rules.append(.objectsInCollectionOptional) }
    case .map: if !optional { rules.append(.objectsInMapNotOptional) }
    }
    if container == .set && target?.isEmbedded == true { rules.append(.embeddedInSet) }
    return rules
  }

  private static func brokenRules(
    ofLinkingFrom origin: String, _ name: String, to objectType: String, in schema: Schema
  ) -> [SchemaRule] {
    guard let originType = schema[origin] else { return [.unknownObjectType(origin)] }
    if originType.isEmbedded { return [.linkingObjectsFromEmbedded(origin)] }
    guard let property = originType[name] else { return [.unknownLinkingProperty(name)] }
    guard let (_, element, _) = property.type.stored, element == .object(objectType) else {
      return [.linkingPropertyNotALink(name)]
    }
    return []
  }

  /// Realm accepts these at run time, Bool only at compile time (S:Realm/RLMProperty.mm).
  private var isPrimaryKeyType: Bool {
    switch type {
    case .one(.int, _), .one(.string, _), .one(.objectID, _), .one(.uuid, _): true
    default: false
    }
  }

  /// Returns the rule that the property's index breaks. Core indexes (C:object-store/property.hpp:340) no numbers
  /// that aren't whole, and of collections only lists of strings. Full text is for single strings that are no primary
  /// key.
  private func brokenIndexRule(isPrimaryKey: Bool) -> SchemaRule? {
    switch index {
    case .none: return nil
    case .general:
      switch type {
      case .one(.bool, _), .one(.int, _), .one(.string, _), .one(.date, _), .one(.objectID, _),
        .one(.uuid, _), .one(.mixed, _), .list(.string, _):
        return nil
      default: return .notIndexable
      }
    case .fullText:
      if case .one(.string, _) = type, !isPrimaryKey { return nil }
      return .notFullTextIndexable
    }
  }
}
