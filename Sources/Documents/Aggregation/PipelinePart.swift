import GatehouseBSON

/// The outcome of the first stages of a pipeline over a part of its documents, which stands for them in the stages behind. Where a
/// stage groups or counts, that is what the part has of the groups or the count.
public struct PipelinePart: Sendable {
  enum Content: Sendable {
    case documents([Document])
    case groups(Groups)
    case count(Int64)
  }

  let content: Content
  /// The bytes that it takes.
  public let memory: Int

  init(documents: [Document]) {
    content = .documents(documents)
    memory = documents.reduce(0) { $0 + $1.memory }
  }

  init(groups: Groups) {
    content = .groups(groups)
    memory = groups.memory
  }

  init(count: Int64) {
    content = .count(count)
    memory = 0
  }
}

// A pipeline over documents that are in several stores: the stages that need not see all of them are run where the documents are.
extension Pipeline {
  /// Runs the first stages over a part of the documents: those that make something of one document after the other, and then one that
  /// groups, counts, or wants the first ones only.
  public func part(
    over documents: any DocumentCursor, in context: PipelineContext
  ) throws(DocumentsError) -> PipelinePart {
    var first = Array(stages[..<firstOfMany])
    let cursor = { () throws(DocumentsError) in try Stage.run(first, over: documents, in: context) }
    if firstOfMany < stages.count {
      switch stages[firstOfMany] {
      case .group(let grouping): return PipelinePart(groups: try grouping.groups(of: cursor(), in: context))
      case .count: return PipelinePart(count: try Stage.count(of: cursor(), in: context))
      default: break
      }
    }
    if let most = mostWanted {
      if case .sort(let pattern, _) = stages[firstOfMany] {
        first.append(.sort(pattern, limit: most))
      }
      first.append(.limit(most))
    }
    return PipelinePart(documents: try cursor().rest(charging: context.budget))
  }

  /// Runs the stages that are left over the parts, in their order. The answer is that of the whole pipeline over all documents, one part's
  /// behind those of the other.
  public func run(
    over parts: [PipelinePart], in context: PipelineContext
  ) throws(DocumentsError) -> any DocumentCursor {
    var (documents, groups, count): ([Document], Groups?, Int64) = ([], nil, 0)
    for part in parts {
      switch part.content {
      case .documents(let found): documents += found
      case .count(let found): count += found
      case .groups(let found):
        guard groups != nil else {
          groups = found
          try context.budget.charge(found.memory)
          continue
        }
        try groups?.add(found, context.budget)
      }
    }
    var rest = stages[firstOfMany...]
    switch rest.first {
    case .group(let grouping)?:
      rest = rest.dropFirst()
      documents = try Stage.checked(grouping.documents(of: groups ?? Groups()))
    case .count(let name)?:
      rest = rest.dropFirst()
      documents = Stage.documents(ofCount: count, named: name)
    default: break
    }
    return try Stage.run(Array(rest), over: DocumentList(documents), in: context)
  }

  /// The index of the first stage that looks at more than one document at a time.
  private var firstOfMany: Int { stages.firstIndex { !$0.isOfOneDocument } ?? stages.count }

  /// The number of documents, in the order that they are in or are put in by the first stage that looks at several, behind which none
  /// is wanted; nil: all may be.
  private var mostWanted: Int? {
    var rest = stages[firstOfMany...]
    if case .sort(_, let limit)? = rest.first {
      if let limit { return limit }
      rest = rest.dropFirst()
    }
    var skipped = 0
    for stage in rest {
      switch stage {
      case .skip(let count):
        let (sum, overflow) = skipped.addingReportingOverflow(count)
        if overflow { return nil }
        skipped = sum
      case .limit(let count):
        let (sum, overflow) = skipped.addingReportingOverflow(count)
        return overflow ? nil : sum
      default: return nil
      }
    }
    return nil
  }
}

extension Stage {
  /// Whether it makes of each document what it would make of it alone.
  fileprivate var isOfOneDocument: Bool {
    switch self {
    case .match, .project, .assign, .replaceRoot, .redact, .unwind: true
    case .limit, .skip, .sort, .group, .count, .bucketAuto, .facet, .lookup, .graphLookup, .union, .sample,
      .window, .densify, .geoNear, .documents:
      false
    }
  }
}
