import GatehouseHTTP
import Testing

@Suite struct TraceParentTests {
  // The examples of W3C Trace Context §3.2.
  @Test func `a trace, the client's part of it, and whether it is recorded`() throws {
    let parent = try #require(TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
    #expect(parent.trace == .init(high: 0x4bf9_2f35_77b3_4da6, low: 0xa3ce_929d_0e0e_4736))
    #expect((parent.span, parent.isSampled) == (0x00f0_67aa_0ba9_02b7, true))
    #expect(TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")?.isSampled == false)
    #expect(TraceParent("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-is-to-come") != nil)
  }

  @Test(arguments: [
    "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-é",
    "0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  ])
  func `what is no traceparent means nothing`(text: String) {
    #expect(TraceParent(text) == nil)
  }
}
