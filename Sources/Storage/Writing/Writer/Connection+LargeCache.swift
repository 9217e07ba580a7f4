import CGatehouseMemory
import GatehouseSQLite

extension Connection {
  /// Does what may touch very many objects with room for their pages, and gives the memory back afterwards.
  ///
  /// Pages that do not fit are written to the log, and read from there, again and again.
  func withLargeCache<Result>(_ body: () -> Result) -> Result {
    let changes = totalChanges
    try? execute(FileStatements.setCacheSize(-131072))
    let result = body()
    try? execute(FileStatements.setCacheSize(DatabaseFile.cacheSize))
    if totalChanges - changes > 10_000 {
      try? execute(FileStatements.shrinkMemory)
      // Memory that the C library keeps for later is as good as lost to everybody else.
      memory_trim()
    }
    return result
  }
}
