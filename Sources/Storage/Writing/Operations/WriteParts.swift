/// The stores that a transaction writes with, made once for a connection and a catalog.
///
///     ObjectStore      tables of classes, `_classes`      rows: insert, change, delete
///     CollectionStore  child tables, `_list_blocks`       elements of lists, sets and maps
///     LinkIndex        `_mixed_links`                     links by their targets, forward references
///     ChangeCapture    none                               values before and after, for log and hooks
///     UsageCounters    none                               objects that quotas count
struct WriteParts {
  let base: WriteBase
  let links: LinkIndex
  let collections: CollectionStore
  let objects: ObjectStore
  let images: ImageReader
  let usage: UsageCounters
  let capture: ChangeCapture

  init(_ base: WriteBase, counters: Counters) {
    self.base = base
    links = LinkIndex(base.statements, base.context)
    collections = CollectionStore(base.statements)
    objects = ObjectStore(base, counters: counters, collections: collections, links: links)
    images = ImageReader(base.statements.session)
    usage = UsageCounters(base, images: images)
    capture = ChangeCapture(base, images: images, links: links, usage: usage)
  }
}
