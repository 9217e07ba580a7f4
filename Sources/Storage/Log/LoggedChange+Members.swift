import GatehouseBSON
import GatehouseModel

// Changes of documents, whose fields clients see as members of the objects.
extension LoggedChange {
  /// The change of a document with its fields beside `_id`: of an update, those that have changed.
  var withMembers: LoggedChange {
    var (before, after) = (before?.withMembers, after?.withMembers)
    if operation == .update {
      let changed = elements.filter { $0.property == ObjectType.fieldsName }.flatMap(\.elements)
      let names = Set(
        (before?.members ?? []).filter { after?.member($0.key) == $0.value }.map { ExactText($0.key) })
      before = .dictionary(before?.members.filter { !names.contains(ExactText($0.key)) } ?? [])
      after = .dictionary(after?.members.filter { !names.contains(ExactText($0.key)) } ?? [])
      for element in changed {
        guard case .key(let key) = element.place else { continue }
        before = before?.setting(key, to: element.before)
        after = after?.setting(key, to: element.after)
      }
    }
    return seen(as: operation, before: before, after: after)
  }

  /// The names of the members that ``withMembers`` has, in bytewise order.
  var memberNames: [String] {
    Set(((before?.members ?? []) + (after?.members ?? [])).map { ExactText($0.key) }).map(\.text)
      .sorted { $0.compareBytes($1) < 0 }
  }
}

extension Mixed {
  fileprivate var members: [Entry] { if case .dictionary(let entries) = self { entries } else { [] } }

  fileprivate func member(_ name: String) -> Mixed? {
    members.first { $0.key.hasSameBytes(as: name) }?.value
  }

  /// Nil: there is no such member.
  fileprivate func setting(_ name: String, to value: Mixed?) -> Mixed {
    let others = members.filter { !$0.key.hasSameBytes(as: name) }
    return .dictionary(others + (value.map { [Entry(key: name, value: $0)] } ?? []))
  }
}
