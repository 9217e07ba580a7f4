import Audit
import BSON
import HTTP
import Model
import Storage

/// Records the objects in the events of one stream as reads, before the client gets them.
///
/// `@unchecked Sendable`. Because everything of it is touched on the loop of its stream only.
final class Witness: @unchecked Sendable {
  private let recording: Recording
  private let store: Store
  private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
  private var waiting: [[UInt8]] = []
  private var isRecording = false

  init(
    _ recording: Recording, _ store: Store,
    on later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.recording = recording
    self.store = store
    self.later = later
  }

  /// Whether events wait until they are recorded.
  var isBusy: Bool { isRecording }

  /// Sends frames to the stream's client once what they show is recorded; frames stay in order.
  func see(_ frames: [UInt8], in stream: EventStream) {
    waiting.append(frames)
    if !isRecording { next(stream) }
  }

  private func next(_ stream: EventStream) {
    guard !waiting.isEmpty else { return stream.proceed() }
    let frames = waiting.removeFirst()
    let objects = Witness.objects(in: frames, store.schema)
    guard !objects.isEmpty else {
      stream.send(frames)
      return next(stream)
    }
    isRecording = true
    let (recording, store, later) = (recording, store, later)
    Task { [weak stream] in
      let isRecorded = (try? await Witness.record(objects, recording, store)) != nil
      later { [weak stream] in
        self.isRecording = false
        guard let stream else { return }
        // What cannot be recorded is not shown.
        guard isRecorded else { return stream.abort() }
        stream.send(frames)
        self.next(stream)
      }
    }
  }

  private static func record(
    _ objects: [(objectType: String, id: Mixed)], _ recording: Recording, _ store: Store
  ) async throws {
    let observation = try await store.read { reader in
      try reader.observing { reader in
        for object in objects {
          var bytes: [UInt8] = []
          _ = try reader.object(object.objectType, id: object.id, projection: nil, as: .json, into: &bytes)
        }
      }.observation
    }
    try await recording.record(observation, as: .objects)
  }

  /// The objects that insertions and updates show.
  private static func objects(
    in frames: [UInt8], _ schema: Schema
  ) -> [(objectType: String, id: Mixed)] {
    var objects: [(objectType: String, id: Mixed)] = []
    for line in frames.split(separator: UInt8(ascii: "\n")) where line.starts(with: "data: {\"class\"".utf8) {
      guard case .document(let data)? = try? Value(json: Array(line.dropFirst(6))), data["object"] != nil,
        case .string(let name)? = data["class"], let type = schema[name],
        let text = data["id"]?.identifierText, let id = try? type.identifier(fromText: text)
      else { continue }
      objects.append((name, id))
    }
    return objects
  }
}

extension Value {
  /// A primary key as a segment of a path would have it.
  fileprivate var identifierText: String? {
    switch self {
    case .string(let text): text
    case .int32(let value): String(value)
    case .int64(let value): String(value)
    default: nil
    }
  }
}
