import Storage

/// Why the store refused a transaction, and for which of several objects or operations.
struct WriteFailure: Error, Hashable {
  let reason: StorageError
  let place: Content.Place?
}
