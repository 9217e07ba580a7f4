import GatehouseModel
import GatehouseQuery

/// The rules that objects of a class have to meet, and those embedded in them.
struct ClassRules {
  /// For each property the rules for its values; nil: it has none.
  let values: [ValueConstraints?]
  /// The properties that hold embedded objects with rules, at any depth.
  let embedding: Set<Int>
  let checks: [ObjectCheck]

  /// Returns those of each class, in the order of the tables; nil: there are none. Throws ``StorageError/invalidCheck(_:)``.
  static func all(in catalog: Catalog) throws(StorageError) -> [ClassRules?] {
    let schema = catalog.schema
    let ruled = schema.ruledClasses
    if ruled.isEmpty { return catalog.tables.map { _ in nil } }
    var all: [ClassRules?] = []
    for table in catalog.tables {
      let type = table.objectType
      guard ruled.contains(type.name) else {
        all.append(nil)
        continue
      }
      do throws(CheckError) {
        all.append(
          ClassRules(
            values: type.properties.map { ValueConstraints($0) },
            embedding: Set(
              type.properties.indices.filter { type.properties[$0].embeds(oneOf: ruled, in: schema) }),
            checks: try schema.checks(of: type)))
      } catch {
        throw .invalidCheck(error)
      }
    }
    return all
  }
}

extension Schema {
  /// The classes whose objects have rules to meet, or hold embedded objects that have.
  fileprivate var ruledClasses: Set<String> {
    var ruled = Set(objectTypes.filter(\.hasRules).map(\.name))
    var count = -1
    while count != ruled.count {
      count = ruled.count
      for type in objectTypes where !ruled.contains(type.name) {
        if type.properties.contains(where: { $0.embeds(oneOf: ruled, in: self) }) { ruled.insert(type.name) }
      }
    }
    return ruled
  }
}

extension ObjectType {
  fileprivate var hasRules: Bool {
    !constraints.checks.isEmpty || properties.contains { $0.constraints?.hasValueRules == true }
  }
}

extension Property {
  fileprivate func embeds(oneOf classes: Set<String>, in schema: Schema) -> Bool {
    guard type.stored != nil, let target = type.linkTarget else { return false }
    return classes.contains(target) && schema[target]?.isEmbedded == true
  }
}
