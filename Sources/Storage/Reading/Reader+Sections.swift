import GatehouseBSON
import GatehouseModel
public import GatehouseQuery

extension Reader {
  /// How many sections a result may have: all are counted before the first can be shown.
  public static let sectionLimit = SectionCounts.limit

  /// Appends the page of sections that the plan asks for to `bytes`: each with its key, the number of all its
  /// objects, and those of its objects that belong to the page. Sections come in the order of their first objects.
  ///
  /// Pages are counted in objects, so that a section may go on in the next one. The place of a page is that of
  /// its last object: its section's key, and its own; ``StorageError/cursorExpired`` where it is no longer in it.
  public func sections(
    _ plan: Plan, by key: SectionKey, as representation: Representation, framing: Framing,
    into bytes: inout [UInt8]
  ) throws(StorageError) -> Page {
    let start = bytes.count
    return try currentSnapshot { transaction throws(StorageError) in
      // A second try begins anew.
      bytes.removeSubrange(start...)
      let page = try planReader(plan).sections(by: key, in: transaction)
      let objects = try objectReader(plan.projection, plan.visibility)
      if framing == .array { bytes.append(UInt8(ascii: "[")) }
      for (index, section) in page.sections.enumerated() {
        if framing == .array, index > 0 { bytes.append(UInt8(ascii: ",")) }
        let item = SectionDocument(section: section, type: key.type, objects: objects, session: session)
        try representation.append(item, to: &bytes)
        if framing == .sequence, representation != .bson { bytes.append(UInt8(ascii: "\n")) }
      }
      if framing == .array { bytes.append(UInt8(ascii: "]")) }
      return Page(count: page.sections.reduce(0) { $0 + $1.objects.count }, next: page.next)
    }
  }
}

extension Reader {
  /// Appends a document with the key of its section, `{"key": …}`, for each object of the plan's page, with the place of the object, for
  /// those who put together what several stores have.
  public func placedSectionKeys(
    _ plan: Plan, by key: SectionKey, as representation: Representation, into bytes: inout [UInt8]
  ) throws(StorageError) -> PlacedPage {
    let start = bytes.count
    return try currentSnapshot { _ throws(StorageError) in
      bytes.removeSubrange(start...)
      var objects: [PlacedPage.Object] = []
      let isLast = try planReader(plan).forEachPlace(key.path) { row, place throws(StorageError) in
        let section = key.key(of: try row.first(0))
        let item = SectionKeyDocument(key: section, type: key.type, session: session)
        try representation.append(item, to: &bytes)
        objects.append(PlacedPage.Object(end: bytes.count, place: place, section: section))
      }
      return PlacedPage(objects: objects, isLast: isLast)
    }
  }
}

private struct SectionKeyDocument: Writable {
  let key: Mixed
  let type: ElementType
  let session: ReadSession

  func write<Writer: ValueWriter>(to writer: inout Writer) throws(StorageError) {
    writer.beginDocument()
    writer.key("key")
    try session.write(key, as: type, to: &writer)
    writer.endDocument()
  }
}

/// A section as an answer shows it.
private struct SectionDocument: Writable {
  let section: Section
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
