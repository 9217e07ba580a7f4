import GatehouseDocuments

extension DataCommand {
  /// The command on documents in which members are in bytewise order of their names: those of schemaless classes.
  var inMemberOrder: DataCommand {
    switch self {
    case .find(let query): .find(query.inMemberOrder)
    case .findOne(let query): .findOne(query.inMemberOrder)
    case .count(let query): .count(query.inMemberOrder)
    case .distinct(let values, let filter): .distinct(values.inMemberOrder, filter.inMemberOrder)
    case .update(let update): .update(update.inMemberOrder)
    case .delete(let filter, let isMany): .delete(filter.inMemberOrder, isMany: isMany)
    case .findAndUpdate(let query, let update, let returnsNew):
      .findAndUpdate(query.inMemberOrder, update.inMemberOrder, returnsNew: returnsNew)
    case .findAndDelete(let query): .findAndDelete(query.inMemberOrder)
    case .aggregate(let pipeline): .aggregate(pipeline.inMemberOrder)
    case .insert: self
    }
  }
}

extension FindQuery {
  fileprivate var inMemberOrder: FindQuery {
    FindQuery(filter: filter.inMemberOrder, sort: sort, skip: skip, limit: limit, projection: projection)
  }
}

extension DocumentUpdate {
  fileprivate var inMemberOrder: DocumentUpdate {
    DocumentUpdate(
      filter: filter.inMemberOrder, update: update.inMemberOrder, isUpsert: isUpsert, isMany: isMany)
  }
}
