import GatehouseModel
import GatehouseQuery

/// Puts the objects of a page of sections together, as they come in the order of the result.
struct SectionPage {
  private var sections: [Section]
  /// The place of the first of them among all sections.
  private let first: Int
  private let sectionCount: Int
  private let size: Int
  /// The object of the first section behind which the page begins; nil: it has been seen, or there is none.
  private var start: ObjectKey?

  /// Begins the page of the plan; nil: its cursor's section is no longer there.
  init?(_ counts: SectionCounts, _ plan: Plan) {
    size = plan.pageSize ?? .max
    sectionCount = counts.sections.count
    start = plan.cursor?.key
    var first = 0
    if let key = plan.cursor?.values.first {
      guard let place = counts.place(of: key) else { return nil }
      first = place
    }
    self.first = first
    sections = []
    // All objects of the first section may be before the page; none of the others is.
    var sure = 0
    for (place, section) in counts.sections[first...].enumerated() where sure < size {
      sections.append(Section(key: section.key, count: section.count, objects: []))
      if place > 0 || start == nil { sure += section.count }
    }
  }

  /// Takes the next object of the result, which belongs to the section at `place` among all.
  mutating func add(_ key: ObjectKey, to place: Int?) {
    guard let place, sections.indices.contains(place - first) else { return }
    if place == first, let start {
      if start == key { self.start = nil }
      return
    }
    // More than a page of one section is on none.
    if sections[place - first].objects.count <= size { sections[place - first].objects.append(key) }
  }

  /// The sections of the page, and where the next one begins.
  func finish() throws(StorageError) -> (sections: [Section], next: Cursor?) {
    if start != nil, size > 0 { throw .cursorExpired }
    var page: [Section] = []
    var rest = size
    for (index, section) in sections.enumerated() {
      var part = section
      part.objects = Array(section.objects.prefix(rest))
      if !part.objects.isEmpty { page.append(part) }
      rest -= part.objects.count
      precondition(rest >= 0 && part.objects.count <= section.count, "a page has no more than it asks for")
      let isWhole = part.objects.count == section.objects.count
      if rest == 0, let last = part.objects.last, !isWhole || first + index + 1 < sectionCount {
        return (page, Cursor(values: [section.key], key: last))
      }
    }
    return (page, nil)
  }
}
