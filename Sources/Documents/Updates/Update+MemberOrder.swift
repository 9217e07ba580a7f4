extension Update {
  /// The update of documents in which members of documents are in bytewise order of their names (``Filter/inMemberOrder``): what it
  /// compares with elements of arrays has that order.
  public var inMemberOrder: Update {
    guard case .changes(let changes) = form else { return self }
    let ordered = changes.map { Change(path: $0.path, operation: $0.operation.inMemberOrder) }
    return Update(form: .changes(ordered), arrayFilters: arrayFilters.mapValues(\.inMemberOrder))
  }
}

extension UpdateOperation {
  fileprivate var inMemberOrder: UpdateOperation {
    switch self {
    case .addToSet(let values): .addToSet(values.map(\.inMemberOrder))
    case .pullAll(let values): .pullAll(values.map(\.inMemberOrder))
    case .pull(let condition): .pull(condition.inMemberOrder)
    case .set, .setOnInsert, .unset, .increment, .multiply, .minimum, .maximum, .rename, .currentDate, .push,
      .pop, .bits:
      self
    }
  }
}

extension PullCondition {
  fileprivate var inMemberOrder: PullCondition {
    switch self {
    case .value(let value): .value(value.inMemberOrder)
    case .document(let filter): .document(filter.inMemberOrder)
    case .element(let node): .element(node.inMemberOrder)
    }
  }
}
