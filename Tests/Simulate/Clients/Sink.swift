import GatehouseHTTP
import GatehouseSeeded

/// The connection of a client that takes what it is sent at once, or is slow for a while, or leaves in the middle of something.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class Sink: PushSink, @unchecked Sendable {
  private let source: any PushSource
  private let take: (Substring) -> Void
  private var generator: SeededGenerator
  private var bytes: [UInt8] = []
  private var hasEnded = false
  private var isCut = false
  private var isPatient = false
  private var ended: (() -> Void)?
  private(set) var isBusy = false

  init(_ source: any PushSource, _ generator: SeededGenerator, take: @escaping (Substring) -> Void) {
    self.source = source
    self.generator = generator
    self.take = take
  }

  func push(_ piece: [UInt8]) {
    // Nobody reads on a connection that has ended.
    guard !hasEnded, !isCut else { return }
    isCut = !isPatient && Int.random(in: 0..<40, using: &generator) == 0
    bytes += isCut ? piece.prefix(Int.random(in: 0...piece.count, using: &generator)) : piece[...]
    while let end = bytes.place(of: [0x0A, 0x0A]) {
      take(String(decoding: bytes[..<end], as: UTF8.self)[...])
      bytes.removeFirst(end + 2)
    }
  }

  func complete() { end() }

  func abort() {
    source.end()
    end()
  }

  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    ended?()
    ended = nil
  }

  /// Is slow no more, and leaves only where it has left in the middle of something.
  func stay() { isPatient = true }

  func whenEnded(_ body: @escaping () -> Void) { if hasEnded { body() } else { ended = body } }

  /// Stops to take anything, now and then, and begins again; or leaves.
  func beSlow(on service: Service, _ index: Int) {
    let time = Duration.milliseconds(Int.random(in: 1...300, using: &generator))
    service.run(onLoop: index, after: time) { [weak self] in
      guard let self, !hasEnded else { return }
      switch isCut ? 0 : isPatient ? 7 : Int.random(in: 0..<8, using: &generator) {
      case 0:
        source.end()
        end()
      case 1..<4:
        isBusy = !isBusy
        if !isBusy { source.resume() }
      default:
        if isBusy {
          isBusy = false
          source.resume()
        }
      }
      if !hasEnded { beSlow(on: service, index) }
    }
  }
}
