import Testing

@testable import GatehouseHTTP

/// Content of which no two stretches look alike.
private func pattern(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
}

private func content(of output: borrowing OutputBuffer) -> [UInt8] { Array(output.start) + output.content }

private let limit = OutputBuffer.largeContent

@Test(arguments: [(0, false), (limit - 1, false), (limit, true), (200_000, true)])
func `large content at the end is not copied`(size: Int, isApart: Bool) {
  var output = OutputBuffer(capacity: 16)
  output.append("head")
  output.append(content: pattern(size))
  #expect(output.content == (isApart ? pattern(size) : []))
  #expect(output.count == 4 + size)
  #expect(content(of: output) == Array("head".utf8) + pattern(size))
  #expect(Array(output.bytes) == Array("head".utf8) + pattern(size))
  output.removeAll()
  #expect(output.isEmpty && output.content.isEmpty)
}

@Test func `what comes behind large content is behind it, in whatever way it is appended`() {
  let large = pattern(limit)
  let more: [(inout OutputBuffer) -> Void] = [
    { $0.append("text") }, { $0.append(7 as UInt8) }, { $0.append(12_345) }, { $0.append([1, 2, 3]) },
    { $0.appendSize(0x2a) }, { $0.append(content: [4]) }, { $0.append(content: pattern(limit + 1)) },
    { output in
      output.append(count: 8) { room in
        room[0] = 9
        return 1
      }
    },
    { output in
      output.reserve(16)
      output.putHexadecimal(1)
    },
  ]
  for append in more {
    var alone = OutputBuffer()
    append(&alone)
    var output = OutputBuffer(capacity: 16)
    output.append("head")
    output.append(content: large)
    append(&output)
    #expect(output.count == 4 + large.count + alone.count)
    #expect(content(of: output) == Array("head".utf8) + large + content(of: alone))
  }
}

@Test(arguments: [100, limit, 20_000])
func `wherever output is cut off, the rest is what has not gone`(size: Int) {
  var output = OutputBuffer()
  output.append("head")
  output.append(content: pattern(size))
  let all = content(of: output)
  for sent in [0, 1, 3, 4, 5, 99, size / 2, size + 3] {
    let (bytes, start) = output.rest(from: sent)
    #expect(Array(bytes[start...]) == Array(all[sent...]))
  }
}

@Test func `answers behind each other are in order, large or not`() {
  let rig = Rig()
  let sizes = [20_000, 3, limit, limit, 0, limit + 1]
  var expected = ""
  for size in sizes {
    _ = rig.receive("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    let content = [UInt8](repeating: UInt8(ascii: "a") + UInt8(size % 7), count: size)
    let response = Response(status: .ok, body: .bytes(content))
    _ = rig.connection.respond(response, id: nil, into: &rig.writer, now: rig.now)
    expected +=
      "HTTP/1.1 200 OK\r\ncontent-length: \(size)\r\n\r\n" + String(decoding: content, as: UTF8.self)
  }
  #expect(rig.writer.output.content.count == limit + 1)
  #expect(rig.output() == expected)
}

@Test func `the answer to HEAD has no content, however large`() {
  let rig = Rig()
  _ = rig.receive("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n")
  #expect(
    rig.respond(.bytes([UInt8](repeating: 0, count: limit)))
      == "HTTP/1.1 200 OK\r\ncontent-length: \(limit)\r\n\r\n")
}
