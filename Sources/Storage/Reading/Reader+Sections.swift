import GatehouseBSON
import GatehouseModel
public import GatehouseQuery

extension Reader {
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
        let item = SectionDocument(
          key: section.key, type: key.type, session: session, content: (section, objects))
        try representation.append(item, to: &bytes)
        if framing == .sequence, representation != .bson { bytes.append(UInt8(ascii: "\n")) }
      }
      if framing == .array { bytes.append(UInt8(ascii: "]")) }
      return Page(count: page.sections.reduce(0) { $0 + $1.objects.count }, next: page.next)
    }
  }
}

/// A section as an answer shows it, `{"key": …, "count": …, "objects": […]}`, or its key alone.
struct SectionDocument: Writable {
  let key: Mixed
  let type: ElementType
  let session: ReadSession
  var content: (section: SectionPage<ObjectKey>.Section, reader: ObjectReader)?

  func write<Writer: ValueWriter>(to writer: inout Writer) throws(StorageError) {
    writer.beginDocument()
    writer.key("key")
    try session.write(key, as: type, to: &writer)
    if let content {
      writer.key("count")
      writer.int64(Int64(content.section.count))
      writer.key("objects")
      writer.beginArray()
      for key in content.section.objects { try content.reader.write(key.value, to: &writer) }
      writer.endArray()
    }
    writer.endDocument()
  }
}
