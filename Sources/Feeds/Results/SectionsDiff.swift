import GatehouseModel

/// The difference between two results in sections, as Realm tells it (`SectionedResultsChange`).
///
/// The rows of a section that is gone are not listed; those of a new one are, as insertions.
struct SectionsDiff {
  /// A row of a section, by indices.
  struct Path: Hashable {
    let section: Int
    let row: Int
  }

  /// In the old sections.
  var sectionsToDelete: [Int] = []
  /// In the new ones.
  var sectionsToInsert: [Int] = []
  var deletions: [Path] = []
  var insertions: [Path] = []
  var modifications: [Path] = []

  var isEmpty: Bool {
    sectionsToDelete.isEmpty && sectionsToInsert.isEmpty && deletions.isEmpty && insertions.isEmpty
      && modifications.isEmpty
  }

  init(from old: ResultsState, to new: ResultsState, touched: Set<Mixed>) {
    let (oldSections, newSections) = (old.sections, new.sections)
    let keys = CollectionDiff(from: oldSections.map(\.key), to: newSections.map(\.key)) { _ in true }
    sectionsToDelete = keys.deletions
    sectionsToInsert = keys.insertions
    for (before, after) in zip(keys.modifications, keys.modificationsNew) {
      let rows = CollectionDiff(
        from: oldSections[before].rows.map { old.rows[$0].id },
        to: newSections[after].rows.map { new.rows[$0].id }
      ) { touched.contains($0) }
      deletions += rows.deletions.map { Path(section: before, row: $0) }
      insertions += rows.insertions.map { Path(section: after, row: $0) }
      for (oldRow, newRow) in zip(rows.modifications, rows.modificationsNew) {
        // Only a row that is where it was in the section of its key is a modification (C:sectioned_results.cpp).
        if oldRow == newRow {
          modifications.append(Path(section: after, row: newRow))
        } else {
          deletions.append(Path(section: before, row: oldRow))
          insertions.append(Path(section: after, row: newRow))
        }
      }
    }
    for section in sectionsToInsert {
      insertions += newSections[section].rows.indices.map { Path(section: section, row: $0) }
    }
    deletions.sort()
    insertions.sort()
  }
}

extension SectionsDiff.Path: Comparable {
  static func < (left: SectionsDiff.Path, right: SectionsDiff.Path) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }
}
