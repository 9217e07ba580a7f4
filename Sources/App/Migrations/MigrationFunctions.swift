import Dispatch
import GatehouseAPI
import GatehouseBSON
import GatehouseFunctions
import GatehouseModel
import GatehouseStorage
import GatehouseTelemetry
import Synchronization

/// The functions in the folder `migrations`, which say what becomes of an object: they get it as their only argument, and
/// return the members that change.
struct MigrationFunctions {
  private let host: FunctionHost

  init(_ settings: Settings) {
    var configuration = settings.functionConfiguration(log: nil, metrics: Registry())
    configuration.directory = DataFile.migrations.path(in: settings.data)
    host = FunctionHost(configuration)
  }

  /// Returns the change that the function of a file makes of objects of a class. Throws
  /// ``MigrationError/unknownFunction(_:)``.
  func transform(by file: String, of type: ObjectType, in schema: Schema) throws -> ObjectTransform {
    let name = String(file.dropLast(".js".count))
    guard try host.functions().contains(where: { $0.name == name && $0.runtime == .node }) else {
      throw MigrationError.unknownFunction(file)
    }
    let host = host
    return ObjectTransform { subjects throws(StorageError) in
      // The store waits on its own thread, and the calls go on on others.
      let answer = Mutex<Result<[Value], StorageError>?>(nil)
      let done = DispatchSemaphore(value: 0)
      Task {
        let result = await Self.results(of: subjects, by: name, host, type)
        answer.withLock { $0 = result }
        done.signal()
      }
      done.wait()
      guard let results = answer.withLock({ $0 }) else { throw .cancelled }
      var patches: [ObjectPatch?] = []
      for (subject, value) in zip(subjects, try results.get()) {
        patches.append(try Self.patch(value, of: subject, type, in: schema))
      }
      return patches
    }
  }

  /// Ends the processes that run them.
  func close() { host.close() }

  private static func results(
    of subjects: [ObjectTransform.Subject], by name: String, _ host: FunctionHost, _ type: ObjectType
  ) async -> Result<[Value], StorageError> {
    var results: [Value] = []
    for subject in subjects {
      do {
        let object = Value.document(try Document(bson: subject.object)).withNumbers
        let invocation = Invocation(name: name, arguments: [object])
        let result = try await host.call(invocation, from: .function) { _ in
          .failure("A function of a migration sees the object that it is given, and nothing else.")
        }
        results.append(result)
      } catch {
        return .failure(failure(of: subject, type, error))
      }
    }
    return .success(results)
  }

  private static func patch(
    _ value: Value, of subject: ObjectTransform.Subject, _ type: ObjectType, in schema: Schema
  ) throws(StorageError) -> ObjectPatch? {
    switch value {
    case .undefined, .null: return nil
    default:
      do throws(ValidationError) { return try type.patch(from: value, in: schema) } catch {
        throw failure(of: subject, type, error)
      }
    }
  }

  private static func failure(
    of subject: ObjectTransform.Subject, _ type: ObjectType, _ error: any Error
  ) -> StorageError {
    .transformFailed(objectType: type.name, id: subject.id, reason: FailureText.of(error))
  }
}

extension Value {
  /// The value with whole numbers as JavaScript has them: those of 64 bits would be objects there, which no number equals.
  fileprivate var withNumbers: Value {
    switch self {
    case .int64(let number): number.magnitude <= 1 << 53 ? .double(Double(number)) : self
    case .array(let values): .array(values.map(\.withNumbers))
    case .document(let document):
      .document(
        Document(document.elements.map { Document.Element(key: $0.key, value: $0.value.withNumbers) }))
    default: self
    }
  }
}
