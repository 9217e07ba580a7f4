import FoundationEssentials
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage
import Glibc
import Synchronization
import Testing

@testable import GatehouseAPI

/// An error of the server leaves its cause in the log.
@Suite struct FailureLogTests {
  @Test(
    arguments: [
      (StorageError.sqlite(code: 1, message: "no such table: A"), "SQLite 1: no such table: A"),
      (OperationError(operation: 3, reason: .corrupt("image")), "StorageError.corrupt: image"),
      (WriteError(reason: .diskFull, place: nil), "StorageError.diskFull"),
      (StorageError.objectNotFound(objectType: "A", id: .string("secret")), "StorageError.objectNotFound"),
      (CancellationError(), "CancellationError"),
    ] as [(any Error, String)])
  func `a cause is a rule, without values`(error: any Error, text: String) {
    #expect(FailureCause.text(of: error) == text)
  }

  @Test func `a request that fails has a line, one that is refused has none`() async throws {
    let log = Lines()
    let fixture = try await Fixture(
      #"[{"name":"A","primaryKey":"id","properties":{"id":"string"}}]"#,
      report: { log.append($0) })
    _ = try await fixture.send(.post, "/v1/collections/A", json: #"{"id":"secret"}"#)
    #expect(try await fixture.send(.get, "/v1/collections/B").status == 404)
    #expect(log.texts.isEmpty)
    // The file as it was, with nothing in its pages: everything is in the write-ahead log yet.
    let path = "\(fixture.directory)/gatehouse.db-wal"
    let size = try Data(contentsOf: URL(filePath: path)).count
    let file = try #require(fopen(path, "r+"))
    let zeros = [UInt8](repeating: 0, count: size - 32)
    #expect(fseek(file, 32, SEEK_SET) == 0 && fwrite(zeros, 1, zeros.count, file) == zeros.count)
    fclose(file)
    let answer = try await fixture.send(.get, "/v1/collections/A?filter=id%20CONTAINS%20%22ec%22")
    #expect((answer.status, answer.code) == (500, "storage_corrupt"))
    #expect(log.texts.count == 1)
    let line = try #require(log.texts.first)
    #expect(
      line.hasSuffix(
        #","level":"error","message":"failure","request":"0000000000000000","method":"GET","#
          + #""route":"/v1/collections/{class}","code":"storage_corrupt","#
          + #""cause":"StorageError.corrupt: file is not a database"}"# + "\n"), "\(line)")
    await fixture.remove()
  }
}

/// The lines of a log.
private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  var texts: [String] { lines.withLock { $0 } }

  func append(_ line: [UInt8]) {
    lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
  }
}
