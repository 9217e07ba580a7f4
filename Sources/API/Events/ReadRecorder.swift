import GatehouseAudit
import GatehouseFeeds
import GatehouseStorage

/// Records what the events of one stream show as reads, before the client gets them.
///
/// `@unchecked Sendable`. Because everything of it is touched on the loop of its stream only.
final class ReadRecorder: @unchecked Sendable {
  private let recording: Recording
  private let kind: ReadKind
  private let loopBroker: LoopBroker
  private var waiting = EncodedEvents()
  /// Whether events wait until they are recorded.
  private(set) var isBusy = false

  init(_ recording: Recording, as kind: ReadKind, on loopBroker: LoopBroker) {
    self.recording = recording
    self.kind = kind
    self.loopBroker = loopBroker
  }

  /// Sends frames to the stream's client once what they show is recorded; frames stay in order.
  func see(_ encoded: EncodedEvents, in stream: EventStream) {
    if isBusy {
      waiting += encoded
    } else if encoded.shown.isEmpty {
      stream.send(encoded.bytes)
    } else {
      record(encoded, in: stream)
    }
  }

  private func record(_ encoded: EncodedEvents, in stream: EventStream) {
    precondition(!isBusy, "the events of a stream are recorded one after the other")
    isBusy = true
    let (recording, kind, loopBroker) = (recording, kind, loopBroker)
    Task { [weak stream] in
      let isRecorded = (try? await recording.record(encoded.shown, as: kind)) != nil
      loopBroker.perform { [weak stream] in
        self.isBusy = false
        guard let stream else { return }
        // Events that cannot be recorded are not shown.
        guard isRecorded else { return stream.abort() }
        stream.send(encoded.bytes)
        self.sendWaiting(stream)
      }
    }
  }

  private func sendWaiting(_ stream: EventStream) {
    guard !waiting.bytes.isEmpty else { return stream.proceed() }
    let encoded = waiting
    waiting = EncodedEvents()
    see(encoded, in: stream)
    if !isBusy { stream.proceed() }
  }
}

extension Call {
  /// Throws ``GatehouseStorage/StorageError/notLeading`` where reads are recorded and another node takes writes: a stream stays where it is opened.
  func requireRecordableReads(_ store: Store) throws(StorageError) {
    if recording?.recordsReads == true, !store.isWritable { throw .notLeading }
  }
}
