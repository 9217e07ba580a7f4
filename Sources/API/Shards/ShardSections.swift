import GatehouseModel
import GatehouseStorage

/// The sections of results that several stores have, in the order of their first objects, and how many objects each has.
struct ShardSections {
  /// The documents of their keys, as the first object of each has it, and the numbers of their objects.
  private(set) var sections: [(document: [UInt8], count: Int)] = []
  private var places: [Mixed: Int] = [:]
  /// The section of the object that has been added last.
  private(set) var last = 0
  /// The section that the page begins in; nil: it is the first one.
  var first: Int?

  mutating func add(_ key: Mixed, document: ArraySlice<UInt8>) throws(StorageError) {
    if let place = places[key] {
      sections[place].count += 1
      last = place
      return
    }
    if sections.count == Reader.sectionLimit { throw .tooManySections(limit: Reader.sectionLimit) }
    last = sections.count
    places[key] = last
    sections.append((Array(document), 1))
  }

  func place(of key: Mixed) -> Int? { places[key] }
}

/// The sections of a page, and the places of their objects.
struct ShardSectionPage {
  struct Section {
    /// The document of the key.
    let document: [UInt8]
    /// The number of objects of the whole section.
    let count: Int
    var objects: [ShardMerge.Place] = []
  }

  private var sections: [Section]
  private let first: Int
  private let sectionCount: Int
  private let size: Int
  /// The object behind which the page begins; nil: it has been seen, or there is none.
  private var start: ShardMerge.Place?

  init(_ counts: ShardSections, behind start: ShardMerge.Place?, size: Int) {
    (self.start, self.size) = (start, size)
    first = counts.first ?? 0
    sectionCount = counts.sections.count
    sections = []
    // All objects of the first section may be before the page; none of the others is.
    var sure = 0
    for (index, section) in counts.sections.dropFirst(first).enumerated() where sure < size {
      sections.append(Section(document: section.document, count: section.count))
      if index > 0 || start == nil { sure += section.count }
    }
  }

  /// Takes the next object, which is in the section at that place among all.
  mutating func add(_ place: ShardMerge.Place, to section: Int?) {
    guard let section, sections.indices.contains(section - first) else { return }
    if section == first, let start {
      if start == place { self.start = nil }
      return
    }
    // More than a page of one section is on none.
    if sections[section - first].objects.count <= size { sections[section - first].objects.append(place) }
  }

  /// The places of the objects that the page shows.
  var places: [ShardMerge.Place] { Array(sections.lazy.flatMap(\.objects).prefix(size)) }

  /// The sections of the page, and the place of its last object where others are behind it.
  func finish() -> (sections: [Section], next: ShardMerge.Place?) {
    var page: [Section] = []
    var rest = size
    for (index, section) in sections.enumerated() where rest > 0 {
      var part = section
      part.objects = Array(section.objects.prefix(rest))
      if !part.objects.isEmpty { page.append(part) }
      rest -= part.objects.count
      let isWhole = part.objects.count == section.objects.count
      if rest == 0, let last = part.objects.last, !isWhole || first + index + 1 < sectionCount {
        return (page, last)
      }
    }
    return (page, nil)
  }
}
