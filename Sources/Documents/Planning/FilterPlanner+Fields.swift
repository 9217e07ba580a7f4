import GatehouseBSON
import GatehouseModel
import GatehouseQuery

/// Conditions on fields of documents that there is an index of. None of them is exact: numbers are related in two ways, dates may
/// have more digits than they show, and lists on the way are left to the evaluator.
extension FilterPlanner {
  func fieldPart(of test: ValueTest, by index: ObjectType.Index) -> Part {
    switch test {
    case .compare(let relation, let value): return part(comparison(relation, value, by: index), by: index)
    case .among(let set):
      guard set.patterns.isEmpty, set.values.count <= Self.mostValues else { return .unknown }
      var predicates: [Predicate] = []
      for value in set.values {
        guard let predicate = comparison(.equal, value, by: index) else { return .unknown }
        predicates.append(predicate)
      }
      return part(.any(predicates), by: index)
    case .matches(let pattern):
      guard let (text, _) = pattern.literalPrefix else { return .unknown }
      return part(relate(index, .beginsWith(caseSensitive: true), to: .string(text)), by: index)
    case .exists, .hasType, .modulo, .bits, .size, .elementDocument, .element, .schema, .geo, .near:
      return .unknown
    }
  }

  /// A list is where any of its elements is, at the end of the path and on the way.
  private func part(_ predicate: Predicate?, by index: ObjectType.Index) -> Part {
    guard let predicate else { return .unknown }
    let lists = index.path.indices.map { last in
      Predicate.comparison(
        Comparison(
          .path(path(to: index.path[...last], by: index).applying(.type)),
          relation: .equal(caseSensitive: true),
          .constant(.types(TypeSet(.list)))))
    }
    return Part(predicate: .any([predicate] + lists), isExact: false)
  }

  private func path(to names: ArraySlice<ExactText>, by index: ObjectType.Index) -> KeyPath {
    KeyPath(
      objectType: type.name, hops: [],
      end: .entry(
        property: index.keys[0].property, key: names[names.startIndex],
        names.dropFirst().map { .key($0) }),
      type: .mixed)
  }

  private func relate(
    _ index: ObjectType.Index, _ relation: Comparison.Relation, to value: Mixed
  ) -> Predicate {
    .comparison(
      Comparison(.path(path(to: index.path[...], by: index)), relation: relation, .constant(.value(value))))
  }

  private func comparison(
    _ relation: ValueTest.Relation, _ value: Value, by index: ObjectType.Index
  ) -> Predicate? {
    switch value {
    case .int32, .int64, .double: return numbers(relation, value, by: index)
    case .string(let text): return relate(index, Self.relation(relation), to: .string(text))
    case .bool(let bool) where relation == .equal:
      return relate(index, .equal(caseSensitive: true), to: .bool(bool))
    case .objectID(let id) where relation == .equal:
      return relate(index, .equal(caseSensitive: true), to: .objectID(id))
    case .uuid(let uuid) where relation == .equal:
      return relate(index, .equal(caseSensitive: true), to: .uuid(uuid))
    case .date(let date): return dates(relation, date, by: index)
    default: return nil
    }
  }

  /// A number that no whole one is may equal a decimal here that it does not equal in a query, and the other way round.
  private func numbers(
    _ relation: ValueTest.Relation, _ value: Value, by index: ObjectType.Index
  ) -> Predicate? {
    if let integer = value.asInteger { return relate(index, Self.relation(relation), to: .int(integer)) }
    guard case .double(let double) = value, double.magnitude < 1e300 else { return nil }
    let margin = double.magnitude * 1e-12
    let least = relate(index, .greaterOrEqual, to: .double(double - margin))
    let greatest = relate(index, .lessOrEqual, to: .double(double + margin))
    switch relation {
    case .equal: return .all([least, greatest])
    case .less, .lessOrEqual: return greatest
    case .greater, .greaterOrEqual: return least
    }
  }

  /// All dates of a millisecond are shown as one.
  private func dates(
    _ relation: ValueTest.Relation, _ date: Date, by index: ObjectType.Index
  ) -> Predicate? {
    let milliseconds = date.milliseconds
    guard Date(milliseconds: milliseconds) == date, milliseconds < .max else { return nil }
    let least = relate(index, .greaterOrEqual, to: .date(date))
    let before = relate(index, .less, to: .date(Date(milliseconds: milliseconds + 1)))
    switch relation {
    case .equal: return .all([least, before])
    case .less, .lessOrEqual: return before
    case .greater, .greaterOrEqual: return least
    }
  }
}

extension ObjectType {
  /// The index that a schemaless class has of the values that a path leads to.
  func fieldIndex(of path: [String]) -> Index? {
    guard isSchemaless, !indexes.isEmpty else { return nil }
    let names = path.map { ExactText($0) }
    return indexes.first { $0.path == names }
  }
}
