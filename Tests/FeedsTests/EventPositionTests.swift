import GatehouseStorage
import Testing

@testable import GatehouseFeeds

@Suite struct EventPositionTests {
  @Test(arguments: ["12", "12-3", "12-3-0", "1-0-17"])
  func `a position reads as it was written`(text: String) throws {
    #expect(try #require(EventPosition(text: text)).text == text)
  }

  @Test(arguments: ["", "a", "1-", "1--2", "1-2-", "1-2-03", "1-2-3-4", "-1", "1-2--3"])
  func `what is no position is none`(text: String) {
    #expect(EventPosition(text: text) == nil)
  }

  @Test(arguments: [("5-0-3", "4"), ("5-2-3", "5-1"), ("5-2", "5-2"), ("5", "5")])
  func `within a change the log is read from before it`(text: String, log: String) throws {
    #expect(try #require(EventPosition(text: text)).logged.text == log)
  }
}
