public import GatehouseFeeds
public import GatehouseModel
import GatehouseStorage

/// Tells of changes of results, or of a collection.
public final class ResultsNotifier: Notifier {
  /// A state of the elements, and how they came to it.
  public struct Update {
    public let old: [Mixed]
    public let new: [Mixed]
    public let diff: CollectionDiff
    /// Whether an element of both counts as modified.
    public let isModified: (Mixed) -> Bool
  }

  private let results: LiveResults
  private var paths: [[ChangeSummary.Step]]?
  private let tell: (Update?) -> Void
  private var elements: [Mixed] = []
  /// Says of changes that they cannot concern the results; nil: it cannot say so of any.
  private lazy var relevance = ChangeRelevance(of: results, along: paths)

  /// Calls `tell` with nil to begin with, then with each change.
  public init(
    _ results: LiveResults, along paths: [[ChangeSummary.Step]]?, _ tell: @escaping (Update?) -> Void
  ) {
    self.results = results
    self.paths = paths
    self.tell = tell
    super.init(results.realm)
  }

  public override func begin() {
    elements = results.all
    tell(nil)
  }

  public override func follow(_ positions: SchemaPositions) {
    paths = positions.paths(paths)
    relevance = ChangeRelevance(of: results, along: paths)
  }

  public override func settle() {
    elements = results.all
    relevance?.forgetElements()
  }

  public override func didChange(_ summary: ChangeSummary) {
    if relevance?.isIrrelevant(summary, to: elements, in: realm) == true { return }
    let (old, new) = (elements, results.all)
    elements = new
    relevance?.forgetElements()
    let isModified: (Mixed) -> Bool = { [realm, paths] element in
      guard let row = realm.row(of: element) else { return false }
      return summary.isModified(row, along: paths)
    }
    let diff = diff(from: old, to: new, summary, isModified)
    if diff.isEmpty { return }
    tell(Update(old: old, new: new, diff: diff, isModified: isModified))
  }

  private func diff(
    from old: [Mixed], to new: [Mixed], _ summary: ChangeSummary, _ isModified: (Mixed) -> Bool
  ) -> CollectionDiff {
    guard case .property(let property, let row) = results.source, results.steps.isEmpty,
      results.realm.schema.objectTypes.indices.contains(row.table)
    else { return CollectionDiff(from: old, to: new, isModified: isModified) }
    let definition = results.realm.schema.objectTypes[row.table].properties[property]
    guard case .list = definition.type else {
      return CollectionDiff(from: old, to: new, isModified: isModified)
    }
    let edits = summary.changes(of: row)?.edits[definition.storedName] ?? []
    let isEmbedding = definition.type.linkTarget.flatMap { realm.schema[$0] }?.isEmbedded == true
    if isEmbedding, edits.contains(where: \.isReplacement) {
      // A change inside of an embedded object is logged as one of the whole list.
      return CollectionDiff(from: old, to: new, isModified: isModified)
    }
    var diff = CollectionDiff(edits, of: old.count)
    // An embedded object's list is logged as a part of its owner.
    guard diff.insertions.count - diff.deletions.count == new.count - old.count else {
      return CollectionDiff(from: old, to: new, isModified: isModified)
    }
    diff.addModifications(of: new, isModified: isModified)
    return diff
  }
}

extension CollectionDiff {
  /// Adds the elements that stayed and count as modified.
  fileprivate mutating func addModifications(of new: [Mixed], isModified: (Mixed) -> Bool) {
    let inserted = Set(insertions)
    let deleted = Set(deletions)
    var marked = Set(modificationsNew)
    var old = 0
    for index in new.indices where !inserted.contains(index) {
      while deleted.contains(old) { old += 1 }
      defer { old += 1 }
      guard !marked.contains(index), isModified(new[index]) else { continue }
      marked.insert(index)
      modifications.append(old)
      modificationsNew.append(index)
    }
    precondition(
      modifications.count == modificationsNew.count, "what is modified has a place before and one after")
    modifications.sort()
    modificationsNew.sort()
  }
}
