public import GatehouseBSON

/// An aggregation pipeline, parsed and checked.
public struct Pipeline: Sendable {
  /// A collection that a stage names.
  public struct Source: Hashable, Sendable {
    public let database: String?
    public let collection: String
  }

  /// The most stages of a pipeline, and the most pipelines in each other.
  static let stageLimit = 1_000
  static let depthLimit = 20

  let stages: [Stage]
  /// A write that the pipeline ends with; it is the caller's to perform, with the documents that come out.
  public let output: PipelineOutput?

  /// - Parameters:
  ///   - values: the stages.
  ///   - variables: names of `$$` beside those of the system.
  public init(_ values: [Value], variables: Set<String> = []) throws(DocumentsError) {
    let parser = StageParser(variables: variables, depth: 0, place: nil)
    (stages, output) = try parser.parse(values)
  }

  /// The filter of the first stage, which a caller may hand to whoever finds the documents.
  public var leadingFilter: Filter? {
    switch stages.first {
    case .match(let filter)?: filter
    case .geoNear(let stage)?: stage.query
    default: nil
    }
  }

  private init(stages: [Stage], output: PipelineOutput?) { (self.stages, self.output) = (stages, output) }

  /// The pipeline over documents in which members of documents are in bytewise order of their names (``Filter/inMemberOrder``): its
  /// first stages that match.
  public var inMemberOrder: Pipeline {
    var stages = stages
    for index in stages.indices {
      guard case .match(let filter) = stages[index] else { break }
      stages[index] = .match(filter.inMemberOrder)
    }
    return Pipeline(stages: stages, output: output)
  }

  /// The collections that the stages read, for whoever checks whether they may be read.
  public var sources: [Source] { stages.flatMap(\.sources) }

  /// Runs the stages over the documents.
  public func run(
    over documents: any DocumentCursor, in context: PipelineContext
  ) throws(DocumentsError) -> any DocumentCursor {
    try Stage.run(stages, over: documents, in: context)
  }
}

/// A write that a pipeline ends with.
public indirect enum PipelineOutput: Sendable {
  /// `$out`: the documents replace those of the collection.
  case replace(Pipeline.Source)
  /// `$merge`: each document is put beside the one that has the same values of some fields.
  case merge(Merge)

  /// The parts of `$merge`.
  public struct Merge: Sendable {
    /// The rule where there is such a document.
    public indirect enum Matched: Sendable {
      case replace
      case keepExisting
      case merge
      case fail
      case pipeline(Pipeline)
    }

    /// The rule where there is no such document.
    public enum NotMatched: String, Sendable {
      case insert
      case discard
      case fail
    }

    public let target: Pipeline.Source
    /// The fields by which documents are found.
    public let fields: [String]
    public let whenMatched: Matched
    public let whenNotMatched: NotMatched
    let bindings: [Expression.Member]

    /// The document that is to be stored in place of one that is there; nil where it stays.
    public func merged(
      _ document: Document, into existing: Document, in context: PipelineContext
    ) throws(DocumentsError) -> Document? {
      switch whenMatched {
      case .replace:
        var result = document
        if let id = existing["_id"] { result.set("_id", id) }
        return result
      case .keepExisting: return nil
      case .merge:
        var result = existing
        for element in document.elements where element.key != "_id" { result.set(element.key, element.value) }
        return result
      case .fail: throw DocumentsError(.location(11_000), "$merge found a document that is there already")
      case .pipeline(let pipeline):
        var context = context
        let scope = context.scope.with(root: document)
        context.scope.bind("new", to: .document(document))
        for binding in bindings {
          context.scope.bind(binding.name, to: try binding.expression.value(in: scope))
        }
        return try pipeline.run(over: DocumentList([existing]), in: context).next()
      }
    }
  }
}
