public import Foundation

extension RealmPredicate {
  /// Takes one of Foundation's predicates: of a truth value, or one that puts such together. Others cannot be looked into on
  /// Linux, where Foundation reads no formats either: those are traps.
  init(_ predicate: NSPredicate) {
    if let compound = predicate as? NSCompoundPredicate {
      let parts = compound.subpredicates.map { RealmPredicate($0) }
      switch compound.compoundPredicateType {
      case .and: self.init(andPredicateWithSubpredicates: parts)
      case .or: self.init(orPredicateWithSubpredicates: parts)
      case .not:
        guard let part = parts.first else { fatalError("A predicate of nothing cannot be turned round.") }
        self.init(notPredicateWithSubpredicate: part)
      @unknown default: fatalError("Unknown kind of compound predicate.")
      }
      return
    }
    let value = predicate.isEqual(NSPredicate(value: true))
    if !value, !predicate.isEqual(NSPredicate(value: false)) {
      fatalError("Only support compound, comparison, and constant predicates")
    }
    self.init(value: value)
  }
}

extension RealmCollection {
  /// Returns the objects for which one of Foundation's predicates holds.
  public func filter(_ predicate: NSPredicate) -> Results<Element> { filter(RealmPredicate(predicate)) }

  /// Returns the place of the first object for which one of Foundation's predicates holds; nil: there is none.
  public func index(matching predicate: NSPredicate) -> Int? { index(matching: RealmPredicate(predicate)) }
}

extension RealmKeyedCollection {
  /// Returns the values for which one of Foundation's predicates holds.
  public func filter(_ predicate: NSPredicate) -> Results<Value> { filter(RealmPredicate(predicate)) }
}

extension ProjectedCollection {
  /// Returns the place of the first object for which one of Foundation's predicates holds; nil: there is none.
  public func index(matching predicate: NSPredicate) -> Int? { index(matching: RealmPredicate(predicate)) }
}
