import Audit
import Feeds

/// Records what the events of one stream show as reads, before the client gets them.
///
/// `@unchecked Sendable`. Because everything of it is touched on the loop of its stream only.
final class ReadRecorder: @unchecked Sendable {
  private let recording: Recording
  private let manner: Recording.Manner
  private let branch: Branch
  private var waiting = Parcel()
  /// Whether events wait until they are recorded.
  private(set) var isBusy = false

  init(_ recording: Recording, as manner: Recording.Manner, on branch: Branch) {
    self.recording = recording
    self.manner = manner
    self.branch = branch
  }

  /// Sends frames to the stream's client once what they show is recorded; frames stay in order.
  func see(_ parcel: Parcel, in stream: EventStream) {
    if isBusy {
      waiting += parcel
    } else if parcel.shown.isEmpty {
      stream.send(parcel.bytes)
    } else {
      record(parcel, in: stream)
    }
  }

  private func record(_ parcel: Parcel, in stream: EventStream) {
    isBusy = true
    let (recording, manner, branch) = (recording, manner, branch)
    Task { [weak stream] in
      let isRecorded = (try? await recording.record(parcel.shown, as: manner)) != nil
      branch.perform { [weak stream] in
        self.isBusy = false
        guard let stream else { return }
        // What cannot be recorded is not shown.
        guard isRecorded else { return stream.abort() }
        stream.send(parcel.bytes)
        self.sendWaiting(stream)
      }
    }
  }

  private func sendWaiting(_ stream: EventStream) {
    guard !waiting.bytes.isEmpty else { return stream.proceed() }
    let parcel = waiting
    waiting = Parcel()
    see(parcel, in: stream)
    if !isBusy { stream.proceed() }
  }
}
