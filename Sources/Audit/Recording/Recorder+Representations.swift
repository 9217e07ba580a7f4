import GatehouseBSON
import GatehouseModel

extension Recorder {
  /// Asks the functions of the classes what is to be recorded of objects. What cannot be recorded so is not done: that
  /// the object itself is recorded is what the function is there to prevent.
  func represent(
    _ subjects: some Sequence<Representations.Subject>, in schema: Schema, _ known: inout Representations
  ) async throws(AuditError) {
    for subject in subjects where known[subject] == nil {
      guard let function = schema[subject.objectType]?.representingFunction else { continue }
      do { known[subject] = try await representation(function, subject.image.value { _ in .null }) } catch {
        throw .notRepresented(objectType: subject.objectType)
      }
    }
  }
}
