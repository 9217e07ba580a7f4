import GatehouseServer
import GatehouseStorage
import Glibc
import Testing

@testable import GatehouseApp

@Suite struct FailureTextTests {
  private static let failures: [(any Error, String)] = [
    (StorageError.notADirectory("/d"), "/d is no directory."),
    (StorageError.storeNotFound("/d"), "/d holds no store."),
    (StorageError.backupExists("/d"), "/d holds a store already."),
    (StorageError.unfinishedRestore("/d"), "A restore into /d was not finished: run it again."),
    (StorageError.diskFull, "The disk is full; nothing was written."),
    (StorageError.notWritable("/d"), "/d cannot be written."),
    (StorageError.locked(directory: "/d", holder: "process 7"), "/d is in use by process 7."),
    (
      StorageError.unknownFormat("/f"),
      "/f is no store of this version of Gatehouse, nor of an older one."
    ),
    (StorageError.sqlite(code: 10, message: "disk I/O error"), "SQLite failed: disk I/O error (10)."),
    (StorageError.corrupt("catalog"), "The store is damaged: catalog."),
    (ServerError.system(call: "bind", code: 13), "bind: Permission denied."),
    (ServerError.malformedAddress("x"), "“x” is no address."),
    (ServerError.missingCertificate, "TLS needs a certificate and its key: tls.certificate and tls.key."),
    (ServerError.malformedKey(file: "k"), "k holds no private key in PEM, or one that is encrypted."),
    (ServerError.foreignKey(file: "k"), "k is not the key of the certificate."),
    (ServerError.unreadableCertificate(file: "c", code: 2), "cannot read c: No such file or directory"),
    (ServerError.outOfMemory, "There is no memory left."),
  ]

  @Test(arguments: failures.indices)
  func `an error is said in words that name what it is about`(index: Int) {
    let (error, text) = Self.failures[index]
    #expect(FailureText.of(error) == text)
  }

  @Test func `what cannot be written is named`() {
    let file = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    for (output, name) in [
      (Output(descriptor: file, path: "/dev/full"), "/dev/full"),
      (Output(descriptor: file), "standard output"),
    ] {
      let error = #expect(throws: CommandError.self) { try output.write([1]) }
      #expect(error?.text == "cannot write \(name): No space left on device")
    }
  }
}
