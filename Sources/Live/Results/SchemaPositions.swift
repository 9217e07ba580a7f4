import GatehouseModel
public import GatehouseStorage

/// Finds in a schema, by its name, what had a position in one before.
public struct SchemaPositions {
  private let old: Schema
  private let new: Schema

  init(from old: Schema, to new: Schema) {
    self.old = old
    self.new = new
  }

  /// Returns the position of a class; nil: it is there no more.
  public func table(_ table: Int) -> Int? {
    guard old.objectTypes.indices.contains(table) else { return nil }
    let name = old.objectTypes[table].name
    return new.objectTypes.firstIndex { $0.name == name }
  }

  /// Returns the position of a property of a class, which is named by its position before; nil: it is there no more.
  public func property(_ property: Int, of table: Int) -> Int? {
    guard let target = self.table(table), old.objectTypes[table].properties.indices.contains(property) else {
      return nil
    }
    let name = old.objectTypes[table].properties[property].name
    return new.objectTypes[target].properties.firstIndex { $0.name == name }
  }

  /// Returns the place of an object; nil: its class is there no more.
  public func row(_ row: RowAddress) -> RowAddress? {
    table(row.table).map { RowAddress(table: $0, key: row.key) }
  }

  /// Returns the values of an object, null in the places of properties that are new.
  func values(_ values: [Mixed], of table: Int) -> [Mixed] {
    guard let target = self.table(table) else { return [] }
    precondition(
      values.isEmpty || values.count == old.objectTypes[table].properties.count,
      "an object has a value of each property of its class")
    var result = [Mixed](repeating: .null, count: new.objectTypes[target].properties.count)
    for (index, value) in values.enumerated() {
      if let position = property(index, of: table) { result[position] = value }
    }
    return result
  }

  /// Returns the place of a list or dictionary; nil: the property is there no more.
  func place(_ place: MixedPlace) -> MixedPlace? {
    guard let row = row(place.row), let property = property(place.property, of: place.row.table) else {
      return nil
    }
    return MixedPlace(row: row, property: property, element: place.element, path: place.path)
  }

  /// Returns the source of results; nil: it is there no more, or of another type.
  func source(_ source: LiveResults.Source) -> LiveResults.Source? {
    switch source {
    case .objectType, .elements: return source
    case .mixed(let place): return self.place(place).map { .mixed($0) }
    case .property(let index, let row):
      guard let target = self.row(row), let property = property(index, of: row.table),
        old.objectTypes[row.table].properties[index].type
          == new.objectTypes[target.table].properties[property].type
      else { return nil }
      return .property(property, of: target)
    }
  }

  /// Returns paths up to where they lead to something.
  func paths(_ paths: [[ChangeSummary.Step]]?) -> [[ChangeSummary.Step]]? {
    paths?.map { path in
      var steps: [ChangeSummary.Step] = []
      for step in path {
        guard let table = table(step.table), let property = property(step.property, of: step.table) else {
          break
        }
        steps.append(.init(table: table, property: property, field: step.field))
      }
      return steps
    }.filter { !$0.isEmpty }
  }
}
