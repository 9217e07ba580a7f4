import Dispatch
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Writes that wait are counted by caller.
@Suite struct WriteShareTests {
  @Test func `who sends many writes at once leaves others a place`() async throws {
    let fixture = try await Fixture(storeOptions: { $0.waitingWrites = 4 })
    let gate = DispatchSemaphore(value: 0)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    async let load = fixture.store.load {
      begin.yield()
      gate.wait()
      return nil
    }
    for await _ in begun { break }
    let (answers, answer) = AsyncStream.makeStream(of: [Int].self)
    func send(_ count: Int, from address: UInt32) {
      for number in 0..<count {
        let content = Array(#"{"_id":\#(Int(address) * 10 + number),"name":"A"}"#.utf8)
        Task {
          let response = await fixture.respond(
            .post, "/v1/collections/City", ["content-type": "application/json"], content,
            from: .ipv4(address, port: 1))
          answer.yield([Int(address), Int(response.status.rawValue)])
        }
      }
    }
    var iterator = answers.makeAsyncIterator()
    send(3, from: 1)
    #expect(await iterator.next() == [1, 429])
    send(3, from: 2)
    for _ in 0..<2 { #expect(await iterator.next() == [2, 429]) }
    gate.signal()
    _ = try await load
    var rest: [[Int]] = []
    for _ in 0..<3 { if let next = await iterator.next() { rest.append(next) } }
    #expect(rest.sorted { $0[0] < $1[0] } == [[1, 201], [1, 201], [2, 201]])
    await fixture.remove()
  }
}
