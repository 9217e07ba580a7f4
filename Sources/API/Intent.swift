import HTTP
import Storage

/// What a request asks for, decoded and checked, but not yet planned or performed.
enum Intent: Sendable {
  case liveness
  case readiness
  case contract
  case readSchema(ReadSchema)
  case applySchema(ApplySchema)
  case countObjects(CountObjects)
  case findObjects(FindObjects)
  case createObjects(CreateObjects)
  case readObject(ReadObject)
  case writeObject(WriteObject)
  case readChanges(ReadChanges)

  init(decoding call: Call, limits: Gateway.Limits) async throws {
    let size = limits.contentSize
    switch call.endpoint {
    case .liveness: self = .liveness
    case .readiness: self = .readiness
    case .contract: self = .contract
    case .readSchema: self = .readSchema(ReadSchema(call))
    case .readObjectType: self = .readSchema(try ReadSchema(objectTypeOf: call))
    case .applySchema: self = .applySchema(try await ApplySchema(call, limit: size))
    case .applyObjectType: self = .applySchema(try await ApplySchema(objectTypeOf: call, limit: size))
    case .countObjects: self = .countObjects(CountObjects(call))
    case .findObjects: self = .findObjects(try FindObjects(call, limits: limits))
    case .createObjects: self = .createObjects(try await CreateObjects(call, limit: size))
    case .readObject: self = .readObject(try ReadObject(call))
    case .putObject: self = .writeObject(try await WriteObject(putting: call, limit: size))
    case .patchObject: self = .writeObject(try await WriteObject(patching: call, limit: size))
    case .deleteObject: self = .writeObject(try WriteObject(deleting: call))
    case .readChanges: self = .readChanges(try ReadChanges(call, limits: limits))
    }
  }
}
