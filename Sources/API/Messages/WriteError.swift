import GatehouseStorage

/// The store's reason to refuse a transaction, with the object or operation that it is about.
struct WriteError: Error, Hashable {
  let reason: StorageError
  let place: Content.Place?
}
