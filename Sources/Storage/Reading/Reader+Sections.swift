import BSON
import Model
public import Query

extension Reader {
  /// The plan's objects in sections, which come in the order of their first objects.
  public func sections(_ plan: Plan, by key: SectionKey) throws(StorageError) -> [Section] {
    try current { () throws(StorageError) in try gather(plan, by: key) }
  }

  /// Appends the page of sections that the plan asks for to `bytes`: each with its key, the number of all its
  /// objects, and those of its objects that belong to the page.
  ///
  /// Pages are counted in objects, so that a section may go on in the next one. The place of a page is that of
  /// its last object: its section's key, and its own; ``StorageError/cursorExpired`` where it is no longer in it.
  public func sections(
    _ plan: Plan, by key: SectionKey, as representation: Representation, framing: Framing,
    into bytes: inout [UInt8]
  ) throws(StorageError) -> Page {
    let start = bytes.count
    return try current { () throws(StorageError) in
      // A second try begins anew.
      bytes.removeSubrange(start...)
      return try snapshot { () throws(StorageError) in
        let (sections, next) = try SectionPage.cut(gather(plan, by: key), plan)
        let objects = try objectReader(plan.projection)
        if framing == .array { bytes.append(UInt8(ascii: "[")) }
        for (index, section) in sections.enumerated() {
          if framing == .array, index > 0 { bytes.append(UInt8(ascii: ",")) }
          let item = SectionDocument(section: section, type: key.type, objects: objects, session: session)
          try representation.append(item, to: &bytes)
          if framing == .sequence, representation != .bson { bytes.append(UInt8(ascii: "\n")) }
        }
        if framing == .array { bytes.append(UInt8(ascii: "]")) }
        return Page(count: sections.reduce(0) { $0 + $1.objects.count }, next: next)
      }
    }
  }

  private func gather(_ plan: Plan, by key: SectionKey) throws(StorageError) -> [Section] {
    var sections: [Section] = []
    var places: [Mixed: Int] = [:]
    var last: (key: Mixed, place: Int)?
    try values(of: plan, [key.path]) { row throws(StorageError) in
      let value = key.key(of: try row.first(0))
      // Sorted by what makes the sections, one follows the other.
      let place = last?.key == value ? last?.place : places[value]
      if let place {
        sections[place].objects.append(row.key)
        last = (value, place)
      } else {
        places[value] = sections.count
        last = (value, sections.count)
        sections.append(Section(key: value, objects: [row.key]))
      }
    }
    return sections
  }
}

/// The part of a section that belongs to a page.
private struct SectionPage {
  let key: Mixed
  let count: Int
  let objects: ArraySlice<ObjectKey>

  /// The sections of the page, and where the next one begins.
  static func cut(
    _ sections: [Section], _ plan: Plan
  ) throws(StorageError) -> (sections: [SectionPage], next: Cursor?) {
    var rest = plan.pageSize ?? .max
    var page: [SectionPage] = []
    var (first, offset) = try start(of: plan.cursor, in: sections)
    while first < sections.count {
      let section = sections[first]
      let objects = section.objects[offset...].prefix(rest)
      if !objects.isEmpty {
        page.append(SectionPage(key: section.key, count: section.objects.count, objects: objects))
      }
      rest -= objects.count
      let isWhole = objects.endIndex == section.objects.endIndex
      if rest == 0, let last = objects.last, !isWhole || first + 1 < sections.count {
        return (page, Cursor(values: [section.key], key: last))
      }
      (first, offset) = (first + 1, 0)
    }
    return (page, nil)
  }

  private static func start(
    of cursor: Cursor?, in sections: [Section]
  ) throws(StorageError) -> (section: Int, offset: Int) {
    guard let cursor else { return (0, 0) }
    guard let section = sections.firstIndex(where: { [$0.key] == cursor.values }),
      let object = sections[section].objects.firstIndex(of: cursor.key)
    else { throw .cursorExpired }
    return (section, object + 1)
  }
}

/// A section as an answer shows it.
private struct SectionDocument: Writable {
  let section: SectionPage
  let type: ElementType
  let objects: ObjectReader
  let session: ReadSession

  func write<Writer: ValueWriter>(to writer: inout Writer) throws(StorageError) {
    writer.beginDocument()
    writer.key("key")
    try session.write(section.key, as: type, to: &writer)
    writer.key("count")
    writer.int64(Int64(section.count))
    writer.key("objects")
    writer.beginArray()
    for key in section.objects { try objects.write(key.value, to: &writer) }
    writer.endArray()
    writer.endDocument()
  }
}
