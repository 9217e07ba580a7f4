// The rights of a user with several roles. They add up class by class, and never to more than the roles allow each by
// itself: what one role hides, or does not let be changed, another opens only for objects that it opens as well.
extension Role {
  /// Returns a role that allows what one of the roles does.
  static func combining(_ roles: [Role]) -> Role {
    precondition(!roles.contains(where: \.isAdministrator), "roles do not add up to the administrator's")
    if roles.count == 1 { return roles[0] }
    var classes: [String: ClassRole] = [:]
    for name in Set(roles.flatMap(\.classes.keys)) {
      classes[name] = .combining(roles.map { $0.classes[name] ?? $0.others })
    }
    return Role(
      roles.map(\.name).joined(separator: " "), classes: classes,
      others: .combining(roles.map(\.others)), recordsEvents: roles.contains(where: \.recordsEvents))
  }
}

extension ClassRole {
  /// The properties that a role keeps from being read or written, in the objects that the rule opens.
  private typealias Part = (rule: Rule, closed: Set<String>)

  fileprivate static func combining(_ parts: [ClassRole]) -> ClassRole {
    let readers = parts.map { Part($0.read, $0.hidden) }
    let writers = parts.map { Part($0.write(beside: parts), $0.fixed.union($0.hidden)) }
    return ClassRole(
      read: .any(of: readers.map(\.rule)), write: .any(of: writers.map(\.rule)),
      hidden: closed(in: readers), fixed: closed(in: writers),
      quota: .largest(of: zip(parts, writers).filter { $0.1.rule != .never }.map(\.0.quota)))
  }

  /// Returns the rule for writing. Nothing is changed that is not read: where others read more, that has to be said.
  private func write(beside others: [ClassRole]) -> Rule {
    others.allSatisfy { $0.read == .never || read.covers($0.read) } ? write : read.and(write)
  }

  /// Returns the properties that are closed in some objects: by a part that opens them, and by all others that open
  /// the same objects.
  private static func closed(in parts: [Part]) -> Set<String> {
    var closed: Set<String> = []
    for part in parts where part.rule != .never {
      let others = parts.filter { $0.rule.covers(part.rule) }
      closed.formUnion(part.closed.filter { name in others.allSatisfy { $0.closed.contains(name) } })
    }
    return closed
  }
}
