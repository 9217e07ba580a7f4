import GatehouseAPI
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// A step of a store's history, as its file says it.
struct Migration {
  /// New values of the objects that a filter matches.
  struct Assignment {
    /// The origin of the values.
    enum Values {
      /// Expressions of the query language.
      case expressions([(property: String, expression: String)])
      /// The function in that file of the folder.
      case function(String)
    }

    let objectType: String
    let filter: String?
    let values: Values
  }

  /// Classes as they are afterwards. Those that are not named stay.
  let classes: [ObjectType]
  let dropped: [String]
  let renames: SchemaRenames
  /// Whether data may be lost.
  let isDestructive: Bool
  let assignments: [Assignment]

  /// A migration of a store with a certain schema.
  struct Plan {
    let changes: [MigrationStep.Change]
    let schema: Schema
    /// A line for each thing that it does.
    let lines: [String]
  }

  /// Returns what the migration does to a store of a schema. Its expressions are of objects as they are before properties go or
  /// get other types, with those that are new.
  func plan(on old: Schema, calling functions: MigrationFunctions) throws -> Plan {
    let new = try schema(after: old)
    let differences = try old.difference(to: new, renaming: renames).map(\.description)
    guard !assignments.isEmpty else {
      return Plan(
        changes: [.schema(new, renames: renames, isDestructive: isDestructive)], schema: new,
        lines: differences)
    }
    let between = try Schema(
      validating: old.renaming(renames).extended(by: new).objectTypes)
    let operations = try assignments.map { try $0.operation(on: between, calling: functions) }
    return Plan(
      changes: [.schema(between, renames: renames)] + operations.map { .operation($0) }
        + [.schema(new, isDestructive: isDestructive)], schema: new,
      lines: differences + assignments.map(\.line))
  }

  /// The files of the functions that give objects values.
  var functions: [String] {
    assignments.compactMap { if case .function(let file) = $0.values { file } else { nil } }
  }

  private func schema(after old: Schema) throws -> Schema {
    for name in dropped where old[name] == nil {
      let names = old.objectTypes.map(\.name)
      throw CommandError.unknownClass(name, nearest: EditDistance.nearest(to: name, among: names))
    }
    let old = renames.classes.reduce(old) { $0.renaming($1) }
    let named = Dictionary(classes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    if let name = dropped.first(where: { named[$0] != nil }) { throw MigrationError.droppedAndNamed(name) }
    let kept = old.objectTypes.filter { !dropped.contains($0.name) }.map { named[$0.name] ?? $0 }
    return try Schema(validating: kept + classes.filter { old[$0.name] == nil })
  }
}

extension Migration.Assignment {
  fileprivate func operation(
    on schema: Schema, calling functions: MigrationFunctions
  ) throws -> Operation {
    let type = try schema.objectType(named: objectType)
    let plan = try Plan(request: QueryRequest(filter: filter), schema: schema, objectType: type.name)
    return switch values {
    case .expressions(let values): .each(plan, .compute(try computations(values, of: type, in: schema)))
    case .function(let file):
      .each(plan, .transform(try functions.transform(by: file, of: type, in: schema)))
    }
  }

  private func computations(
    _ values: [(property: String, expression: String)], of type: ObjectType, in schema: Schema
  ) throws -> [Computation] {
    try values.map { name, text in
      guard let place = type.index(of: name) else {
        let names = type.properties.map(\.name)
        throw MigrationError.unknownProperty(
          objectType: type.name, property: name, nearest: EditDistance.nearest(to: name, among: names))
      }
      guard let (element, isMany) = type.properties[place].type.computable(in: schema),
        place != type.primaryKeyIndex
      else { throw MigrationError.notComputable(objectType: type.name, property: name) }
      return Computation(
        place,
        try ValueExpression(
          text, as: element, allowsMany: isMany, schema: schema, objectType: type.name))
    }
  }

  fileprivate var line: String {
    let change =
      switch values {
      case .expressions(let values): "\(values.map(\.property).joined(separator: ", ")) computed"
      case .function(let file): "changed by \(file)"
      }
    return "\(objectType): \(change)" + (filter.map { " where \($0)" } ?? "")
  }
}

extension PropertyType {
  /// The type of the values that an expression may give, and whether there may be many; nil: an expression gives none of this type.
  fileprivate func computable(in schema: Schema) -> (element: ElementType, isMany: Bool)? {
    switch self {
    case .one(let element, _) where !element.isEmbedded(in: schema): (element, false)
    case .list(let element, _) where !element.isEmbedded(in: schema): (element, true)
    case .set(let element, _): (element, true)
    case .one, .list, .map, .linkingObjects: nil
    }
  }
}

extension ElementType {
  fileprivate func isEmbedded(in schema: Schema) -> Bool {
    if case .object(let name) = self { schema[name]?.isEmbedded == true } else { false }
  }
}
