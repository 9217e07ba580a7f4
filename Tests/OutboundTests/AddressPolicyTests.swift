import Glibc
import Testing

@testable import GatehouseOutbound

struct AddressPolicyTests {
  private static func bytes(_ text: String) throws -> [UInt8] {
    try #require(AddressRange(text)).bytes
  }

  @Test(arguments: [
    "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
    "192.167.255.255", "192.169.0.0", "223.255.255.255", "2606:4700::1111", "2001:4860:4860::8888",
    "::ffff:1.1.1.1", "64:ff9b::1.1.1.1",
  ])
  func `a public address is allowed`(address: String) throws {
    #expect(AddressPolicy.public().allows(try AddressPolicyTests.bytes(address)))
  }

  @Test(arguments: [
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1",
    "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
    "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "fc00::1", "fd12::1", "fe80::1",
    "ff02::1", "::ffff:10.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b:1::1", "2001::1", "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1", "100::1", "4000::1",
  ])
  func `an address of special purpose is not`(address: String) throws {
    let bytes = try AddressPolicyTests.bytes(address)
    #expect(!AddressPolicy.public().allows(bytes))
    #expect(AddressPolicy.all.allows(bytes))
  }

  @Test func `ranges allow what is in them, in both spellings of an address`() throws {
    let ranges = try ["10.0.0.0/15", "fd00::/8", "127.0.0.1"].map { try #require(AddressRange($0)) }
    let policy = AddressPolicy.public(and: ranges)
    for address in ["10.0.255.255", "10.2.0.0", "127.0.0.2", "fc00::1"] {
      #expect(policy.allows(try AddressPolicyTests.bytes(address)) == (address == "10.0.255.255"))
    }
    for address in ["10.1.2.3", "::ffff:10.1.2.3", "fd00::1", "127.0.0.1", "1.1.1.1"] {
      #expect(policy.allows(try AddressPolicyTests.bytes(address)), "\(address)")
    }
  }

  @Test(arguments: [
    "", "a", "1.2.3", "1.2.3.4/33", "1.2.3.4/-1", "1.2.3.4/", "1.2.3.4/8/9", "::/129", "10.0.0.0/x",
  ])
  func `what is no range is refused`(text: String) {
    #expect(AddressRange(text) == nil)
  }
}
