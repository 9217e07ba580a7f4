import GatehouseBSON

extension EditReader {
  /// Reads the actions of a JSON Patch (RFC 6902).
  mutating func jsonPatch(_ operations: [Value], of objectType: ObjectType) -> ObjectEdit {
    var edit = ObjectEdit(actions: [])
    for (index, operation) in operations.enumerated() {
      let mark = input.problems.count
      if let change = change(operation, of: objectType) {
        edit.actions.append(ObjectEdit.Action(pointer: "/\(index)", change: change))
      }
      input.locate(from: mark, String(index))
    }
    return edit
  }

  private mutating func change(_ operation: Value, of objectType: ObjectType) -> ObjectEdit.Change? {
    guard case .document(let members) = operation else {
      input.report(.notADocument(found: ValueKind(operation)))
      return nil
    }
    guard let name = text("op", of: members), let path = self.path("path", of: members, in: objectType) else {
      return nil
    }
    switch name {
    case "add": return value(of: members, at: path).map { .add(path, $0.value) }
    case "replace": return value(of: members, at: path).map { .replace(path, $0.value) }
    case "test": return value(of: members, at: path).map { .test(path, $0.draft) }
    case "remove": return isRemovable(path) ? .remove(path) : nil
    case "copy": return self.path("from", of: members, in: objectType).map { .copy(from: $0, to: path) }
    case "move":
      guard let source = self.path("from", of: members, in: objectType), isRemovable(source) else {
        return nil
      }
      // RFC 6902 §4.4: nothing moves into itself.
      if source.steps.count < path.steps.count, path.steps.starts(with: source.steps) {
        reportMember("from", .conflictingPath)
        return nil
      }
      return .move(from: source, to: path)
    default:
      reportMember("op", .unknownOperation)
      return nil
    }
  }

  private mutating func path(_ member: String, of members: Document, in objectType: ObjectType) -> EditPath? {
    guard let pointer = text(member, of: members) else { return nil }
    let mark = input.problems.count
    defer { input.locate(from: mark, member) }
    guard let tokens = EditReader.tokens(pointer: pointer) else {
      input.report(.malformedPath)
      return nil
    }
    return path(tokens, in: objectType)
  }

  private mutating func text(_ member: String, of members: Document) -> String? {
    switch members[member] {
    case .string(let text)?: return text
    case nil: reportMember(member, .memberMissing)
    case let value?:
      reportMember(
        member, .wrongType(expected: .one(.string, optional: false), found: ValueKind(value)))
    }
    return nil
  }

  private mutating func value(of members: Document, at path: EditPath) -> (value: Value, draft: DraftValue)? {
    guard let value = members["value"] else {
      reportMember("value", .memberMissing)
      return nil
    }
    let mark = input.problems.count
    defer { input.locate(from: mark, "value") }
    return input.value(value, as: path.type, depth: 1).map { (value, $0) }
  }

  private mutating func reportMember(_ member: String, _ rule: ValidationRule) {
    let mark = input.problems.count
    input.report(rule)
    input.locate(from: mark, member)
  }
}
