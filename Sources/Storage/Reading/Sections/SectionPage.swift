public import GatehouseModel

/// Puts the objects of a page of sections together, as they come in the order of the result.
///
/// An object is known by its place: its key, where one store has the result.
public struct SectionPage<Place: Equatable> {
  /// The part of a section that belongs to the page.
  public struct Section {
    public let key: Mixed
    /// The number of the section among all.
    public let index: Int
    /// How many objects the whole section has.
    public let count: Int
    public fileprivate(set) var objects: [Place] = []
  }

  private var sections: [Section]
  /// The number of the first of them among all sections.
  private let first: Int
  private let sectionCount: Int
  private let size: Int
  /// The object of the first section behind which the page begins; nil: it has been seen, or there is none.
  private var start: Place?

  /// Begins a page with the section of that number among all.
  ///
  /// - Parameter start: The object of that section behind which the page begins; nil: it begins with the first one.
  public init(of counts: SectionCounts, from first: Int, behind start: Place?, size: Int) {
    (self.first, self.start, self.size) = (first, start, size)
    sectionCount = counts.sections.count
    sections = []
    // All objects of the first section may be before the page; none of the others is.
    var sure = 0
    for (index, section) in counts.sections.enumerated().dropFirst(first) where sure < size {
      sections.append(Section(key: section.key, index: index, count: section.count))
      if index > first || start == nil { sure += section.count }
    }
  }

  /// Takes the next object of the result, which belongs to the section of that number among all.
  public mutating func add(_ place: Place, to section: Int?) {
    guard let section, sections.indices.contains(section - first) else { return }
    if section == first, let start {
      if start == place { self.start = nil }
      return
    }
    // More than a page of one section is on none.
    if sections[section - first].objects.count <= size { sections[section - first].objects.append(place) }
  }

  /// The objects that the page shows.
  public var objects: [Place] { Array(sections.lazy.flatMap(\.objects).prefix(size)) }

  /// Returns the sections of the page, and its last object where others are behind it. Throws ``StorageError/cursorExpired`` where the
  /// object that it begins behind is not there.
  public func finish() throws(StorageError) -> (sections: [Section], last: (section: Mixed, object: Place)?) {
    if start != nil, size > 0 { throw .cursorExpired }
    var page: [Section] = []
    var rest = size
    for section in sections {
      var part = section
      part.objects = Array(section.objects.prefix(rest))
      if !part.objects.isEmpty { page.append(part) }
      rest -= part.objects.count
      precondition(rest >= 0, "a page has no more than it asks for")
      let isWhole = part.objects.count == section.objects.count
      if rest == 0, let last = part.objects.last, !isWhole || section.index + 1 < sectionCount {
        return (page, (section.key, last))
      }
    }
    return (page, nil)
  }
}
