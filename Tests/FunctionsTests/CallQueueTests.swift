import Testing

@testable import GatehouseFunctions

struct CallQueueTests {
  private func queue(_ callers: String) -> (CallQueue, [PendingCall]) {
    var queue = CallQueue()
    let calls = callers.map { PendingCall(CallID(), [], caller: String($0), timeLimit: nil, as: .lines) }
    for call in calls { queue.append(call) }
    return (queue, calls)
  }

  /// The callers whose calls come, in this order; what is not allowed stays.
  private func drain(_ queue: inout CallQueue, without refused: String = "") -> String {
    var callers = ""
    while let call = queue.popNext(where: { !refused.contains($0) }) { callers += call.caller }
    return callers
  }

  @Test(arguments: [
    ("", ""), ("aaa", "aaa"), ("aaab", "abaa"), ("aaabbc", "abcaba"), ("baaa", "baaa"), ("abcabc", "abcabc"),
  ])
  func `callers have their turns one after the other`(callers: String, order: String) {
    var (queue, calls) = queue(callers)
    #expect(queue.count == calls.count)
    #expect(drain(&queue) == order)
    #expect(queue.count == 0 && queue.oldest == nil)
  }

  @Test func `callers that may have none do not keep others waiting`() {
    var (queue, calls) = queue("aabcb")
    #expect(queue.next { $0 != "a" } === calls[2])
    #expect(drain(&queue, without: "a") == "bcb")
    #expect(queue.oldest === calls[0])
    #expect(drain(&queue) == "aa")
  }

  @Test func `what had its turn is put in front, and what is not wanted any more is removed`() {
    var (queue, calls) = queue("abab")
    let first = [queue.popNext { _ in true }, queue.popNext { _ in true }].compactMap(\.self)
    #expect(first.map(\.caller) == ["a", "b"])
    queue.insert(first)
    #expect(queue.next { _ in true } === calls[0])
    let removed = queue.remove(calls[0])
    let again = queue.remove(calls[0])
    #expect(removed && !again)
    #expect(queue.count == 3)
    #expect(drain(&queue) == "abb")
  }

  @Test(arguments: [
    ("aaa", "b", "a", "baa"), ("aaab", "b", "a", "aba"), ("aab", "b", nil, "aba"), ("aa", "a", nil, "aa"),
  ])
  func `a full queue has room for those who have less of it`(
    callers: String, newcomer: String, displaced: String?, order: String
  ) {
    var (queue, calls) = queue(callers)
    let call = queue.displace(for: newcomer)
    #expect(call?.caller == displaced)
    if displaced != nil { #expect(call === calls.last { $0.caller == displaced }) }
    #expect(drain(&queue).sorted() == (displaced == nil ? callers : String(callers.dropFirst())).sorted())
  }
}
