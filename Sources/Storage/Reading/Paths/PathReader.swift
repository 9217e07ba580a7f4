import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// Reads the value or collection that a resource path leads to.
struct PathReader {
  /// One element of a collection.
  struct Element {
    /// In a map.
    var key: String?
    var value: Mixed
    /// In a set: what its order is by, as SQLite has it.
    var raw: Mixed?
  }

  let session: ReadSession
  let request: PathReadRequest
  let location: Location
  /// Gives the reader that writes the objects of a projection.
  private let objects: (Projection) throws(StorageError) -> ObjectReader
  private let visible: VisibleValues?
  private var locator: Locator { Locator(session: session, visible: visible) }
  private var layout: PropertyLayout { locator.layout(location) }

  init(
    _ request: PathReadRequest, from start: RowAddress, in session: ReadSession,
    objects: @escaping (Projection) throws(StorageError) -> ObjectReader
  ) throws(StorageError) {
    self.session = session
    self.objects = objects
    self.request = request
    visible = VisibleValues(request.visibility, in: session)
    location = try Locator(session: session, visible: visible).location(
      of: request.path, from: start, followingMixedLinks: true)
  }

  /// Whether the answer is a document in every representation, and at every such location.
  private var isDocument: Bool {
    if case .aggregate? = request.question { return true }
    guard request.question == nil, request.only == nil, request.plan?.clauses.isEmpty ?? true,
      location.element == nil, location.nested.isEmpty, case .map = layout.property.type
    else { return false }
    return true
  }

  /// Appends the answer and returns where the next page begins.
  func write(
    as representation: Representation, into bytes: inout [UInt8]
  ) throws(StorageError) -> PathReadRequest.Start? {
    let next: PathReadRequest.Start?
    switch representation {
    case .json:
      var writer = PlainJSONWriter(appendingTo: [])
      next = try write(to: &writer)
      bytes += writer.finish()
    case .bson:
      let document: [UInt8]
      (document, next) = try bson()
      bytes += document
    case .extendedJSON:
      var writer = ExtendedJSONWriter(appendingTo: [])
      next = try write(to: &writer)
      bytes += writer.finish()
    }
    return next
  }

  private func bson() throws(StorageError) -> ([UInt8], PathReadRequest.Start?) {
    var writer = BSONWriter(appendingTo: [])
    writer.replacesZeroBytes = true
    let isDocument = self.isDocument
    if !isDocument {
      writer.beginDocument()
      writer.key("value")
    }
    let next = try write(to: &writer)
    if !isDocument { writer.endDocument() }
    do { return (try writer.finish(), next) } catch { throw .tooLarge }
  }

  /// Writes the answer and returns where the next page begins.
  func write<Writer: ValueWriter>(to writer: inout Writer) throws(StorageError) -> PathReadRequest.Start? {
    guard let kind = try kind() else {
      if let question = request.question {
        // Nothing is in a mixed value that is no collection.
        try answer(question, .dictionary([]), to: &writer)
        return nil
      }
      try write(Element(value: locator.value(at: location)), to: &writer)
      return nil
    }
    if let question = request.question {
      try answer(question, kind, to: &writer)
      return nil
    }
    if request.only == .count, request.plan == nil {
      writer.int64(Int64(try count(kind)))
      return nil
    }
    return try writePage(kind, to: &writer)
  }

  private enum Kind {
    /// Rows of a child table.
    case map, list, set
    /// In a mixed value.
    case dictionary([Mixed.Entry])
    case values([Mixed])
  }

  /// Returns the collection that is there; nil: a single value.
  private func kind() throws(StorageError) -> Kind? {
    if location.element == nil, location.nested.isEmpty {
      switch layout.property.type {
      case .map: return .map
      case .list: return .list
      case .set: return .set
      case .linkingObjects, .one: break
      }
    }
    guard layout.element == .mixed else { return nil }
    switch try locator.value(at: location) {
    case .dictionary(let entries): return .dictionary(entries)
    case .list(let values): return .values(values)
    default: return nil
    }
  }

  private func count(_ kind: Kind) throws(StorageError) -> Int {
    switch kind {
    case .map, .list, .set: try locator.count(location)
    case .dictionary(let entries): entries.count
    case .values(let values): values.count
    }
  }

  private func writePage<Writer: ValueWriter>(
    _ kind: Kind, to writer: inout Writer
  ) throws(StorageError) -> PathReadRequest.Start? {
    var elements: [Element]
    var next: PathReadRequest.Start?
    try checkStart(kind)
    if let plan = request.plan {
      elements = try evaluated(plan, try self.elements(kind, start: nil, limit: nil))
      if request.only == .count {
        writer.int64(Int64(elements.count))
        return nil
      }
      (elements, next) = page(of: elements)
    } else {
      elements = try self.elements(kind, start: request.start, limit: request.limit.map { $0 + 1 })
      if let limit = request.limit, elements.count > limit {
        elements.removeLast()
        next = elements.last.flatMap(start(behind:)) ?? .offset(offset + limit)
      }
    }
    try write(elements, isSorted: request.plan?.clauses.isEmpty == false, to: &writer)
    return next
  }

  /// Whether pages of such a collection begin like that.
  private func checkStart(_ kind: Kind) throws(StorageError) {
    let isRight =
      switch (request.start, kind) {
      case (nil, _): true
      case (.offset?, .map), (.offset?, .dictionary), (.offset?, .set): request.plan != nil
      case (.offset?, .list), (.offset?, .values): true
      case (.after?, .map), (.after?, .dictionary), (.behind?, .set): request.plan == nil
      case (.after?, _), (.behind?, _): false
      }
    if !isRight { throw .invalidCursor }
  }

  private func start(behind element: Element) -> PathReadRequest.Start? {
    element.key.map { .after(key: $0) } ?? element.raw.map { .behind($0) }
  }

  private var offset: Int {
    if case .offset(let offset)? = request.start { offset } else { 0 }
  }

  private func page(of elements: [Element]) -> ([Element], PathReadRequest.Start?) {
    let rest = elements.dropFirst(offset)
    guard let limit = request.limit, rest.count > limit else { return (Array(rest), nil) }
    return (Array(rest.prefix(limit)), .offset(offset + limit))
  }

  private func write<Writer: ValueWriter>(
    _ elements: [Element], isSorted: Bool, to writer: inout Writer
  ) throws(StorageError) {
    let isMap = elements.first?.key != nil || isMapEmpty
    if isMap, request.only == nil, !isSorted {
      writer.beginDocument()
      for element in elements {
        writer.key(element.key ?? "")
        try write(element, to: &writer)
      }
      writer.endDocument()
      return
    }
    writer.beginArray()
    for element in elements {
      if request.only == .keys, let key = element.key {
        writer.string(key)
      } else {
        try write(element, to: &writer)
      }
    }
    writer.endArray()
  }

  /// Without elements only the type tells what a collection is.
  private var isMapEmpty: Bool {
    if location.element == nil, location.nested.isEmpty, case .map = layout.property.type { return true }
    if case .dictionary? = try? locator.value(at: location) { return true }
    return false
  }

  private func write<Writer: ValueWriter>(_ element: Element, to writer: inout Writer) throws(StorageError) {
    // The target of a mixed value may be of another class than the projection's.
    if let projection = request.projection, case .link(let link) = element.value,
      link.objectType == projection.objectType, layout.element == .object(projection.objectType)
    {
      return try objects(projection).write(link.key.value, to: &writer)
    }
    try session.writeElement(
      element.value, as: layout.element ?? .mixed, restricted: request.visibility?.restricted ?? [],
      to: &writer)
  }
}

extension PathReader {
  /// The elements in the order of the collection.
  private func elements(
    _ kind: Kind, start: PathReadRequest.Start?, limit: Int?
  ) throws(StorageError) -> [Element] {
    switch kind {
    case .map, .list, .set: return try visibleRows(start, limit)
    case .dictionary(let entries):
      var rest = entries[...]
      if case .after(let key)? = start { rest = rest.drop { $0.key.compareBytes(key) <= 0 } }
      return rest.prefix(limit ?? .max).map { Element(key: $0.key, value: $0.value) }
    case .values(let values):
      var offset = 0
      if case .offset(let given)? = start { offset = given }
      return values.dropFirst(offset).prefix(limit ?? .max).map { Element(value: $0) }
    }
  }

  /// Rows of a child table, as they may be seen.
  private func visibleRows(
    _ start: PathReadRequest.Start?, _ limit: Int?
  ) throws(StorageError) -> [Element] {
    guard let visible else { return try rows(start, limit) }
    guard visible.drops(from: layout) else {
      var elements = try rows(start, limit)
      for index in elements.indices { elements[index].value = try visible.concealed(elements[index].value) }
      return elements
    }
    // Where a page begins and ends depends on those that drop out.
    var offset = 0
    var first = start
    if case .offset(let given)? = start { (offset, first) = (given, nil) }
    let elements = try visible.remaining(try rows(first, nil), value: \.value)
    return Array(elements.dropFirst(offset).prefix(limit ?? .max))
  }

  /// Rows of a child table. A page begins where an index leads to, never after counting what comes before it.
  private func rows(_ start: PathReadRequest.Start?, _ limit: Int?) throws(StorageError) -> [Element] {
    let order: String
    switch layout.property.type {
    case .map: order = "key"
    case .list: order = "position"
    case .set, .one, .linkingObjects: order = layout.member("value")
    }
    guard let first = try first(start, order) else { return [] }
    let statement = try session.cached(
      ElementStatements.page(layout, where: first.condition, orderedBy: order))
    statement.bind(location.holder.key, at: 1)
    statement.bind(Int64(limit ?? -1), at: 2)
    if first.condition.contains("?3") { statement.bind(raw: first.value, at: 3) }
    defer { statement.reset() }
    var elements: [Element] = []
    while try session.step(statement) {
      let value = try statement.value(as: layout.element ?? .mixed, at: 0)
      var element = Element(key: order == "key" ? statement.string(at: 1) : nil, value: value)
      if case .set = layout.property.type { element.raw = statement.rawValue(at: 1) }
      elements.append(element)
    }
    return elements
  }

  /// Returns the condition on the rows of a page, and the value in it; nil: there are no rows.
  private func first(
    _ start: PathReadRequest.Start?, _ order: String
  ) throws(StorageError) -> (condition: String, value: Mixed)? {
    switch start {
    case .after(let key)?: return (" AND key > ?3", .string(key))
    case .behind(.null)?: return (" AND \(order) IS NOT NULL", .null)
    case .behind(let value)?: return (" AND \(order) > ?3", value)
    case .offset(let offset)? where offset > 0 && order == "position":
      guard let position = try locator.position(of: offset, in: location) else { return nil }
      return (" AND position >= ?3", .int(position))
    case .offset?, nil: return ("", .null)
    }
  }

  /// Returns the elements that the plan leaves, in its order.
  private func evaluated(_ plan: Plan, _ elements: [Element]) throws(StorageError) -> [Element] {
    let lookup = PropertyLookup(session)
    defer { _ = lookup }
    let numbers: [Int]
    if case .object? = layout.element {
      let objects = elements.enumerated().compactMap { number, element in
        object(element, lookup).map { IndexedElement(base: $0, number: number) }
      }
      if let visible {
        let seen = objects.map {
          IndexedElement(base: VisibleObject($0.base, in: visible.scope), number: $0.number)
        }
        numbers = plan.evaluated(on: seen).map(\.number)
      } else {
        numbers = plan.evaluated(on: objects).map(\.number)
      }
    } else {
      let views = elements.enumerated().map { number, element in
        IndexedElement(
          base: ElementView(element: element.value, key: ObjectKey(Int64(number))), number: number)
      }
      numbers = plan.evaluated(on: views).map(\.number)
    }
    if let failure = lookup.failure { throw failure }
    return numbers.map { elements[$0] }
  }

  private func object(_ element: Element, _ lookup: PropertyLookup) -> StoredObject? {
    guard case .link(let link) = element.value else { return nil }
    return lookup.object(link)
  }

  private func answer<Writer: ValueWriter>(
    _ question: PathReadRequest.Question, _ kind: Kind, to writer: inout Writer
  ) throws(StorageError) {
    switch question {
    case .containsKey(let key):
      var place = location
      if case .dictionary = kind { place.nested.append(key) } else { place.element = .key(key) }
      writer.bool(try locator.exists(place))
    case .contains(let draft): writer.bool(try index(of: draft, kind) != nil)
    case .indexOf(let draft):
      if let index = try index(of: draft, kind) { writer.int64(Int64(index)) } else { writer.null() }
    case .aggregate(let aggregates):
      var elements = try elements(kind, start: nil, limit: nil)
      if let plan = request.plan { elements = try evaluated(plan, elements) }
      writer.beginDocument()
      for (name, aggregate) in aggregates {
        writer.key(name)
        try session.write(try value(of: aggregate, elements), as: aggregate.type, to: &writer)
      }
      writer.endDocument()
    }
  }

  /// Where the value is; links and embedded objects are looked up as what clients identify them by.
  private func index(of draft: DraftValue, _ kind: Kind) throws(StorageError) -> Int? {
    guard let wanted = try identified(draft) else { return nil }
    return try elements(kind, start: nil, limit: nil).firstIndex { MixedOrder.isEqual($0.value, wanted) }
  }

  /// The value as elements have it; nil: a link that leads nowhere.
  private func identified(_ draft: DraftValue) throws(StorageError) -> Mixed? {
    switch draft {
    case .value(let value): return value
    case .link(let objectType, let id):
      guard let link = PropertyLookup(session).link(objectType, id) else { return nil }
      // One to an object that may not be seen leads nowhere.
      return try visible?.concealed(.link(link)) == .null ? nil : .link(link)
    case .list(let values):
      var elements: [Mixed] = []
      for value in values { elements.append(try identified(value) ?? .null) }
      return .list(elements)
    case .map(let entries):
      var values: [Mixed.Entry] = []
      for entry in entries {
        values.append(Mixed.Entry(key: entry.key, value: try identified(entry.value) ?? .null))
      }
      return .dictionary(values)
    case .embedded: return nil
    }
  }

  private func value(of aggregate: Aggregate, _ elements: [Element]) throws(StorageError) -> Mixed {
    guard case .value(let function, let path) = aggregate.kind else { return .int(Int64(elements.count)) }
    var accumulator = Accumulator(function, of: path.type)
    let lookup = PropertyLookup(session)
    for (number, element) in elements.enumerated() {
      if case .object? = layout.element {
        guard let object = object(element, lookup) else { continue }
        let values =
          visible.map { path.values(of: VisibleObject(object, in: $0.scope)) } ?? path.values(of: object)
        for value in values.joined() { accumulator.add(value) }
      } else {
        let view = ElementView(element: element.value, key: ObjectKey(Int64(number)))
        for value in path.values(of: view).joined() { accumulator.add(value) }
      }
    }
    if let failure = lookup.failure { throw failure }
    return accumulator.value
  }
}

extension ReadSession {
  /// Writes a value that a column of that type holds: links as primary keys, embedded objects as they are.
  func writeElement<Writer: ValueWriter>(
    _ value: Mixed, as type: ElementType, restricted: Set<String> = [], to writer: inout Writer
  ) throws(StorageError) {
    switch (type, value) {
    case (_, .null): writer.null()
    case (.mixed, _): writer.value(try self.value(of: value))
    case (.object(let name), .link(let link)):
      let table = try catalog.table(name)
      if table.objectType.isEmbedded {
        let reader = ObjectReader(
          table, projection: .all(of: table.objectType), in: self, restricted: restricted)
        try reader.write(link.key.value, to: &writer)
      } else {
        try writeElement(identifier(of: link), as: table.identifierType, to: &writer)
      }
    case (_, .bool(let value)): writer.bool(value)
    case (_, .int(let value)): writer.int64(value)
    case (_, .float(let value)): writer.float(value)
    case (_, .double(let value)): writer.double(value)
    case (_, .decimal128(let value)): writer.decimal128(value)
    case (_, .string(let value)): writer.string(value)
    case (_, .data(let value)): writer.data(value)
    case (_, .date(let value)): writer.date(value)
    case (_, .objectID(let value)): writer.objectID(value)
    case (_, .uuid(let value)): writer.uuid(value)
    case (_, .link), (_, .list), (_, .dictionary): writer.value(try self.value(of: value))
    }
  }
}
