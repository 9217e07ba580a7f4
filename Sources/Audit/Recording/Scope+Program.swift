public import GatehouseBSON
public import GatehouseModel
public import GatehouseStorage

/// The text that a program records in place of an object in one of its states. Realm's `CustomEventRepresentable`.
public struct ProgramRepresentation: Sendable {
  let subject: Representations.Subject
  let value: Value

  /// - Parameters:
  ///   - image: The state, as ``GatehouseStorage/Observation/Object`` and ``GatehouseStorage/ObjectChange`` have it.
  ///   - value: The value whose JSON is recorded.
  public init(objectType: String, image: Mixed, value: Value) {
    subject = Representations.Subject(objectType: objectType, image: image)
    self.value = value
  }
}

// A program that embeds the store says itself what it has read and written in a scope.
extension Scope {
  /// Takes down what the program has read. Throws ``AuditError/scopeNotInProgress(_:)``, and ``AuditError/notRepresented(objectType:)``
  /// where a class' function would have to be asked.
  public func record(
    _ observation: Observation, as kind: ReadKind, representing representations: [ProgramRepresentation] = []
  ) throws {
    let (time, version) = (recorder.clock(), recorder.dataVersion(of: observation.version))
    try record { trail in
      try trail.add(
        observation, version: version, as: kind, at: time, Representations(representations)
      ) { $0 != StoredEvent.className }
    }
  }

  /// Takes down a transaction of the program's that has been committed. Throws ``AuditError/scopeNotInProgress(_:)``.
  public func record(
    _ changes: [ObjectChange], in schema: Schema, representing representations: [ProgramRepresentation] = []
  ) throws {
    let time = recorder.clock()
    let writer = WriteText(
      limit: recorder.options.largestText, writers: recorder.auditSchema(of: schema).writers,
      representations: Representations(representations))
    let texts = writer.texts(of: changes)
    try record { trail in for text in texts { try trail.add(write: text, at: time) } }
  }
}

extension Representations {
  fileprivate init(_ representations: [ProgramRepresentation]) {
    self.init()
    for representation in representations { self[representation.subject] = representation.value }
  }
}
