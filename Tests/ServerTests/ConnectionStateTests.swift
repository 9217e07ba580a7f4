import GatehousePolling
import Testing

@testable import GatehouseServer

// The states of a connection, without sockets.

@Suite struct SocketInputTests {
  private enum Event {
    case told(Readiness)
    case readAll
    case readNothing
    case readEnd
  }

  private static let cases: [([Event], SocketInput)] = [
    ([], .drained),
    ([.told(.output)], .drained),
    ([.told(.input)], .ready),
    ([.told([.input, .output]), .readAll], .drained),
    ([.told(.input), .readNothing], .drained),
    ([.told(.peerClosed)], .ending(.half)),
    ([.told(.hangUp)], .ending(.whole)),
    ([.told(.peerClosed), .told([.peerClosed, .hangUp])], .ending(.whole)),
    ([.told(.hangUp), .told(.peerClosed)], .ending(.whole)),
    // The end is told only once: a read that brings less than it could does not stand for it.
    ([.told([.input, .peerClosed]), .readAll], .ending(.half)),
    ([.told([.input, .peerClosed]), .readEnd], .ended(.half)),
    ([.told(.peerClosed), .readNothing], .ended(.half)),
    ([.told(.input), .readEnd], .ended(.half)),
    ([.told(.input), .readEnd, .told(.output)], .ended(.half)),
    ([.told(.input), .readEnd, .told(.input)], .ending(.half)),
  ]

  @Test(arguments: cases.indices)
  func `what epoll has told counts until a read has shown more`(index: Int) {
    let (events, expected) = Self.cases[index]
    var input = SocketInput.drained
    for event in events {
      switch event {
      case .told(let readiness): input.note(readiness)
      case .readAll: input.didReadAll()
      case .readNothing: input.didReadNothing()
      case .readEnd: input.didReadEnd()
      }
    }
    #expect(input == expected)
  }

  @Test func `only a socket that may have bytes is read, and only one that ends has hung up`() {
    let all: [SocketInput] = [
      .drained, .ready, .ending(.half), .ending(.whole), .ended(.half), .ended(.whole),
    ]
    #expect(all.map(\.mayHaveBytes) == [false, true, true, true, false, false])
    #expect(all.map(\.hasHungUp) == [false, false, true, true, true, true])
    #expect(all.map(\.isGone) == [false, false, false, true, false, true])
  }
}

@Suite struct InputTurnTests {
  @Test func `no input is handled within the handling of input`() {
    var turn = InputTurn()
    let begun = [turn.run(), turn.run()]
    turn.pause()
    let again = turn.run()
    #expect(begun == [true, false])
    #expect(again)
  }

  @Test func `bytes that are there come before those of the socket, and nothing is left at the end`() {
    var turn = InputTurn()
    turn.begin(requests: 1)
    _ = turn.run()
    let steps = [
      turn.next(hasUnread: true, mayRead: true), turn.next(hasUnread: false, mayRead: true),
      turn.next(hasUnread: false, mayRead: false),
    ]
    #expect(steps == [.parse, .read, .stop])
  }

  @Test func `after its last request a connection lets others have their turn`() {
    var turn = InputTurn()
    turn.begin(requests: 2)
    _ = turn.run()
    let first = (turn.takeRequest(), turn.next(hasUnread: true, mayRead: true))
    let last = (turn.takeRequest(), turn.next(hasUnread: true, mayRead: true))
    turn.begin(requests: 2)
    let next = turn.next(hasUnread: true, mayRead: true)
    #expect(first == (true, .parse))
    #expect(last == (false, .yield))
    #expect(next == .parse)
  }

  @Test func `after 16 reads a connection lets others have their turn`() {
    var turn = InputTurn()
    turn.begin(requests: 100)
    _ = turn.run()
    let steps = (0..<17).map { _ in turn.next(hasUnread: false, mayRead: true) }
    turn.pause()
    _ = turn.run()
    let next = turn.next(hasUnread: false, mayRead: true)
    #expect(steps == Array(repeating: .read, count: 16) + [.yield])
    #expect(next == .read)
  }
}

@Suite struct PostponedStepTests {
  @Test(
    arguments: [
      ([], [], .nothing), ([.flush], [true], .flush), ([.advance], [true], .advance),
      ([.flush, .flush], [true, false], .flush), ([.flush, .advance], [true, false], .advance),
      ([.advance, .flush], [true, false], .advance),
    ] as [([PostponedStep], [Bool], PostponedStep)])
  func `of several steps the one that does more is done, once`(
    steps: [PostponedStep], tellsLoop: [Bool], taken: PostponedStep
  ) {
    var postponed = PostponedStep.nothing
    let told = steps.map { postponed.postpone($0) }
    let done = [postponed.take(), postponed.take()]
    #expect(told == tellsLoop)
    #expect(done == [taken, .nothing])
  }
}

@Suite struct HeldBytesTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `unread bytes are handled from where handling stopped, and are gone at their end`() {
    var unread = UnreadBytes()
    #expect(!unread.hasBytes && !unread.needsHandling)
    bytes("abc").withUnsafeBytes { unread.keep($0[1...]) }
    bytes("de").withUnsafeBytes { unread.append($0) }
    #expect(unread.bytes == bytes("bcde") && unread.start == 0)
    unread.advance(to: 3)
    #expect(unread.hasBytes && unread.bytes[unread.start...] == bytes("e")[...])
    unread.advance(to: 4)
    #expect(!unread.hasBytes && unread.bytes.isEmpty && unread.start == 0)
  }

  @Test func `handling that stopped early is gone on with, even without bytes`() {
    var unread = UnreadBytes()
    unread.isInterrupted = true
    #expect(!unread.hasBytes && unread.needsHandling)
    unread.removeAll()
    #expect(unread.needsHandling)
    unread.isInterrupted = false
    #expect(!unread.needsHandling)
  }

  @Test func `what the socket has taken is not sent again`() {
    var unsent = UnsentBytes(bytes("xabc"), from: 1)
    #expect(unsent.count == 3)
    unsent.removeFirst(2)
    #expect(unsent.withUnsafeBytes { Array($0) } == bytes("c"))
    bytes("de").withUnsafeBytes { unsent.append($0) }
    #expect(unsent.withUnsafeBytes { Array($0) } == bytes("cde"))
    unsent.removeFirst(3)
    #expect(unsent.isEmpty && unsent.withUnsafeBytes { $0.isEmpty })
  }
}
