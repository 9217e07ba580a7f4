public import GatehouseModel
import GatehouseQuery

extension Policy {
  /// Checks the roles against a schema. Throws ``PolicyError`` for the first right that means nothing in it.
  public func validate(in schema: Schema) throws(PolicyError) {
    for (name, role) in roles.sorted(by: { $0.key < $1.key }) {
      for (className, rights) in role.classes.sorted(by: { $0.key < $1.key }) {
        let pointer = "/\(name)/classes/\(className)"
        guard let type = schema[className] else { throw PolicyError(pointer: pointer, rule: .unknownClass) }
        if type.isEmbedded { throw PolicyError(pointer: pointer, rule: .embeddedClass) }
        try Policy.validate(rights, of: type, in: schema, pointer)
      }
      try Policy.validateOthers(role.others, "/\(name)/classes/*")
    }
  }

  private static func validate(
    _ rights: ClassRole, of type: ObjectType, in schema: Schema, _ pointer: String
  ) throws(PolicyError) {
    for property in rights.hidden.union(rights.fixed).sorted() {
      // Names of fields have no point, and no dollar sign at their beginning.
      let isField =
        type.isSchemaless && !property.isEmpty && !property.contains(".") && !property.hasPrefix("$")
      guard isField || type.index(of: property) != nil else {
        throw PolicyError(pointer: "\(pointer)/fields/\(property)", rule: .unknownProperty)
      }
      if rights.hidden.contains(property), type.primaryKey?.name == property {
        throw PolicyError(pointer: "\(pointer)/fields/\(property)", rule: .contradiction)
      }
    }
    for (name, rule) in [("read", rights.read), ("write", rights.write)] {
      guard case .when(let filters) = rule else { continue }
      for filter in filters {
        let isPlain: Bool
        do throws(QueryError) {
          isPlain = try BoundRule.isPlain(filter, on: type.name, in: schema)
        } catch {
          throw PolicyError(pointer: "\(pointer)/\(name)", rule: .filter(error))
        }
        guard isPlain else { throw PolicyError(pointer: "\(pointer)/\(name)", rule: .clauses) }
      }
    }
  }

  /// Refuses filters in the rights for all other classes: a filter is one of a class.
  private static func validateOthers(_ rights: ClassRole, _ pointer: String) throws(PolicyError) {
    for (name, rule) in [("read", rights.read), ("write", rights.write)] {
      if case .when = rule { throw PolicyError(pointer: "\(pointer)/\(name)", rule: .wrongType) }
    }
    guard rights.hidden.union(rights.fixed).isEmpty else {
      throw PolicyError(pointer: "\(pointer)/fields", rule: .unknownMember)
    }
  }
}
