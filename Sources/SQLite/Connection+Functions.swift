internal import CGatehouseSQLite

extension Connection {
  /// Compares two texts, UTF-8 each: negative, 0 or positive.
  public typealias Comparison = (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int

  /// Registers a collation, for `COLLATE name`.
  public func createCollation(_ name: String, _ compare: @escaping Comparison) throws(DatabaseError) {
    let box = Unmanaged.passRetained(ComparisonBox(compare))
    let code = sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, box.toOpaque(),
      { context, leftCount, left, rightCount, right in
        guard let context else { return 0 }
        let compare = Unmanaged<ComparisonBox>.fromOpaque(context).takeUnretainedValue().compare
        let order = compare(
          UnsafeBufferPointer(start: left?.assumingMemoryBound(to: UInt8.self), count: Int(leftCount)),
          UnsafeBufferPointer(start: right?.assumingMemoryBound(to: UInt8.self), count: Int(rightCount)))
        return Int32(truncatingIfNeeded: order.signum())
      },
      { context in context.map { Unmanaged<ComparisonBox>.fromOpaque($0).release() } })
    guard code == SQLITE_OK else {
      // Unlike create_function, SQLite does not release the context when this fails.
      box.release()
      throw error(code)
    }
  }

  /// Registers a deterministic SQL function, also for triggers and indexes. `argumentCount` -1 takes any number.
  public func createFunction(
    _ name: String, argumentCount: Int32, _ body: @escaping (Arguments, inout Answer) -> Void
  ) throws(DatabaseError) {
    let box = Unmanaged.passRetained(FunctionBox(body))
    let code = sqlite3_create_function_v2(
      handle, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, box.toOpaque(),
      { context, count, values in
        guard let context, let data = sqlite3_user_data(context) else { return }
        let body = Unmanaged<FunctionBox>.fromOpaque(data).takeUnretainedValue().body
        var answer = Answer(context: context)
        body(Arguments(values: UnsafeBufferPointer(start: values, count: Int(count))), &answer)
      }, nil, nil,
      { context in context.map { Unmanaged<FunctionBox>.fromOpaque($0).release() } })
    guard code == SQLITE_OK else { throw error(code) }
  }

  private final class ComparisonBox {
    let compare: Comparison
    init(_ compare: @escaping Comparison) { self.compare = compare }
  }

  private final class FunctionBox {
    let body: (Arguments, inout Answer) -> Void
    init(_ body: @escaping (Arguments, inout Answer) -> Void) { self.body = body }
  }
}
