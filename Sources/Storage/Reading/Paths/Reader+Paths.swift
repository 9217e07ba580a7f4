extension Reader {
  /// Appends the value or collection that a path leads to. BSON has no values without a document around them: there a map and an answer to
  /// aggregates are the document, and everything else is its one member `value`.
  ///
  /// Throws ``StorageError/objectNotFound(objectType:id:)`` and ``StorageError/place(_:)``.
  public func place(
    _ request: PathReadRequest, as representation: Representation, into bytes: inout [UInt8]
  ) throws(StorageError) -> PathReadAnswer {
    // One snapshot for the path and for the value there.
    try currentSnapshot { transaction throws(StorageError) in
      let reader = try PathReader(
        request, from: try Locator(session: session).subject(request, in: transaction.schema), in: session
      ) { projection throws(StorageError) in try self.objectReader(projection, request.visibility) }
      runner.see(request.visibility, in: session)
      let next = try reader.write(as: representation, into: &bytes)
      return try Locator(session: session).answer(reader.location, next: next, in: transaction.schema)
    }
  }

  /// Returns the object that a write at the location would change, and its version.
  public func owner(_ request: PathReadRequest) throws(StorageError) -> PathReadAnswer {
    try current { schema throws(StorageError) in
      let locator = Locator(session: session, visible: VisibleValues(request.visibility, in: session))
      let location = try locator.location(of: request.path, from: locator.subject(request, in: schema))
      return try locator.answer(location, next: nil, in: schema)
    }
  }
}
