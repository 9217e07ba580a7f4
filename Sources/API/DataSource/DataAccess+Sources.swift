extension DataAccess {
  /// Throws ``DataSourceError/unknownService(_:)`` where no data source has that name.
  func requireSource(_ name: String) throws(DataSourceError) {
    guard sources.contains(name) else { throw .unknownService(name) }
  }
}
