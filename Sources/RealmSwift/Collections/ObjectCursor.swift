import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// Makes the objects that links of one class lead to, one after the other, and reads their values in pages: who goes from object to object
/// mostly reads them.
struct ObjectCursor {
  private let context: RealmContext
  private let managed: ManagedClass
  /// Keeps the Realm for the objects of the page; nil: there is no page.
  private var keeper: ContextKeeper?
  /// The values of the page's objects.
  private var values: [Mixed] = []
  /// Where those of each object begin; nil: it is gone.
  private var starts: [Int?] = []
  /// The index of the page's first link.
  private var begin = 0
  /// The index behind the page's last link.
  private var end = 0

  /// The number of links of the first page: who asks for one object may want no other.
  private static let firstPage = 8
  private static let largestPage = 256

  /// Nil where the objects are not of that very class, so that each has to be looked at by itself.
  init?<Element>(_ links: [Mixed], of type: Element.Type, in context: RealmContext) {
    guard case .link(let link)? = links.first, let managed = context.managedClass(link.objectType),
      managed.type == type
    else { return nil }
    self.context = context
    self.managed = managed
  }

  /// Returns the object of a link, the next one after that of the call before; nil: it has to be made in another way.
  mutating func object(at index: Int, of links: [Mixed]) -> ObjectBase? {
    if index >= end { turnPage(at: index, of: links) }
    guard let keeper, let start = starts[index - begin], case .link(let link) = links[index] else {
      return nil
    }
    let row = RowAddress(table: managed.table, key: link.key.value)
    return managed.object(ObjectAccessor(keeper, managed, row, values: values, from: start))
  }

  private mutating func turnPage(at index: Int, of links: [Mixed]) {
    context.check()
    let size = end == 0 ? Self.firstPage : min(2 * (end - begin), Self.largestPage)
    begin = index
    end = min(index + size, links.count)
    let page = context.live.page(of: links[begin..<end])
    keeper = page.map { _ in ContextKeeper(context) }
    (values, starts) = (page?.values ?? [], page?.starts ?? [])
    precondition(page == nil || starts.count == end - begin, "a page says of each link where its object is")
  }
}
