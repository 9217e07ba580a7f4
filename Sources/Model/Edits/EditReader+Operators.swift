import GatehouseBSON

extension EditReader {
  /// Reads the actions of field operators: `{"$inc": {"population": 1}, "$set": {"location.latitude": 35.5}}`.
  mutating func operators(_ document: Document, of objectType: ObjectType) -> ObjectEdit {
    var edit = ObjectEdit(actions: [])
    var paths = EditPathTree()
    for element in document.elements {
      let mark = input.problems.count
      if let name = FieldOperator(rawValue: element.key) {
        append(name, fields: element.value, of: objectType, to: &edit, paths: &paths)
      } else {
        input.report(.unknownOperation)
      }
      input.locate(from: mark, element.key)
    }
    return edit
  }

  private mutating func append(
    _ name: FieldOperator, fields: Value, of objectType: ObjectType, to edit: inout ObjectEdit,
    paths: inout EditPathTree
  ) {
    guard case .document(let fields) = fields else {
      input.report(.notADocument(found: ValueKind(fields)))
      return
    }
    for field in fields.elements {
      let mark = input.problems.count
      let tokens = field.key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      if let path = self.path(tokens, in: objectType) {
        // Their order would decide, and a document has none.
        if !paths.insert(path) { input.report(.conflictingPath) }
        if let change = change(name, field.value, at: path) {
          edit.actions.append(ObjectEdit.Action(pointer: pointer(name.rawValue, field.key), change: change))
        }
      }
      input.locate(from: mark, field.key)
    }
  }

  private func pointer(_ operation: String, _ field: String) -> String {
    "/\(operation)/" + field.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  private mutating func change(
    _ name: FieldOperator, _ value: Value, at path: EditPath
  ) -> ObjectEdit.Change? {
    switch name {
    case .set: return input.value(value, as: path.type, depth: 1).map { _ in .set(path, value) }
    case .unset: return isRemovable(path) ? .unset(path) : nil
    case .inc: return operand(value, at: path, of: [.numeric]).map { .increase(path, by: $0) }
    case .min: return operand(value, at: path, of: Mixed.Rank.ordered).map { .minimum(path, $0, value) }
    case .max: return operand(value, at: path, of: Mixed.Rank.ordered).map { .maximum(path, $0, value) }
    case .push: return push(value, at: path)
    case .addToSet: return elements(value, at: path, allowing: ["$each"]).map { .addToSet(path, $0.values) }
    case .pull:
      guard let type = collectionType(path) else { return nil }
      return input.value(value, as: type, depth: 1).map { .pull(path, $0) }
    }
  }

  /// Reads the scalar that an operator works with: of the property's type, and of one of the ranks.
  private mutating func operand(_ value: Value, at path: EditPath, of ranks: Set<Mixed.Rank>) -> Mixed? {
    guard case .one(let type, _) = path.type, type.valueType.map({ ranks.contains($0.rank) }) ?? true else {
      input.report(.operationUnsupported(type: path.type))
      return nil
    }
    if type != .mixed { return input.scalar(value, as: type) }
    guard case .value(let mixed)? = input.mixed(value, depth: 1), ranks.contains(mixed.rank) else {
      input.report(.operationUnsupported(type: path.type))
      return nil
    }
    return mixed
  }

  private mutating func push(_ value: Value, at path: EditPath) -> ObjectEdit.Change? {
    if case .set = path.type {
      input.report(.operationUnsupported(type: path.type))
      return nil
    }
    return elements(value, at: path, allowing: ["$each", "$position"]).map {
      .push(path, $0.values, position: $0.position)
    }
  }

  /// One value, or those of `{"$each": […]}`.
  private mutating func elements(
    _ value: Value, at path: EditPath, allowing modifiers: Set<String>
  ) -> (values: [Value], position: Int?)? {
    guard let type = collectionType(path) else { return nil }
    guard case .document(let document) = value, let each = document["$each"] else {
      return input.value(value, as: type, depth: 1).map { _ in ([value], nil) }
    }
    for element in document.elements where !modifiers.contains(element.key) {
      let mark = input.problems.count
      input.report(.unknownOperation)
      input.locate(from: mark, element.key)
    }
    guard let values = self.each(each, as: type) else { return nil }
    guard let position = document["$position"] else { return (values, nil) }
    let mark = input.problems.count
    defer { input.locate(from: mark, "$position") }
    guard case .int(let int)? = input.scalar(position, as: .int) else { return nil }
    return (values, Int(int))
  }

  private mutating func each(_ value: Value, as type: PropertyType) -> [Value]? {
    let mark = input.problems.count
    defer { input.locate(from: mark, "$each") }
    guard case .array(let values) = value else {
      input.report(.notAnArray(found: ValueKind(value)))
      return nil
    }
    for (index, value) in values.enumerated() {
      let mark = input.problems.count
      _ = input.value(value, as: type, depth: 1)
      input.locate(from: mark, String(index))
    }
    return values
  }

  /// Returns the type of the elements of the collection at the path, or nil and a problem.
  private mutating func collectionType(_ path: EditPath) -> PropertyType? {
    if let type = path.elementType { return type }
    input.report(.operationUnsupported(type: path.type))
    return nil
  }
}

/// The operators that change fields, by MongoDB's names.
private enum FieldOperator: String {
  case set = "$set"
  case unset = "$unset"
  case inc = "$inc"
  case min = "$min"
  case max = "$max"
  case push = "$push"
  case addToSet = "$addToSet"
  case pull = "$pull"
}

extension Mixed.Rank {
  /// The ranks of which one value can be less than another.
  fileprivate static let ordered: Set = [Self.numeric, .string, .data, .date, .objectID, .uuid]
}
