import GatehouseAPI
import GatehouseBSON
import GatehouseModel
import GatehouseServer
import GatehouseStorage

/// Says any error in words, for the one at the command line.
enum FailureText {
  static func of(_ error: any Error) -> String {
    switch error {
    case let error as CommandError: return error.text
    case let error as MigrationError: return error.text
    case let error as S3Error: return error.text
    case let error as ClusterFailure: return error.text
    case let error as MetricsError: return error.text
    case let error as OperationError: return of(error.reason)
    case let error as StorageError: return storage(error) ?? explanation(error)
    case let error as ServerError: return server(error)
    case let error as RecordError: return record(error)
    default: return explanation(error)
    }
  }

  private static func record(_ error: RecordError) -> String {
    switch error {
    case .json(let error): explanation(error)
    case .bson(let error): explanation(error)
    case .csv(let error): explanation(error)
    case .invalid(let error): explanation(error)
    case .foreign(.jsonArray): "This begins as a JSON array, not as an object a line; --format json reads it."
    case .foreign(.csv): "This looks like CSV, not like an object a line; --format csv reads it."
    case .foreign(.bson): "This looks like BSON, not like an object a line; --format bson reads it."
    case .foreign(.gzip): "This is compressed by gzip: gunzip it first."
    }
  }

  private static func explanation(_ error: any Error) -> String {
    let explanation = ErrorExplanation(error)
    return ([explanation.detail] + explanation.entries).joined(separator: "\n  ")
  }

  /// Returns the text of errors that the API keeps silent about, since its clients need not know paths and processes.
  private static func storage(_ error: StorageError) -> String? {
    switch error {
    case .notADirectory(let path): "\(path) is no directory."
    case .storeNotFound(let path): "\(path) holds no store."
    case .backupExists(let path): "\(path) holds a store already."
    case .unfinishedRestore(let path): "A restore into \(path) was not finished: run it again."
    case .diskFull: "The disk is full; nothing was written."
    case .syncFailed: "The disk failed to keep what was written."
    case .notWritable(let path): "\(path) cannot be written."
    case .locked(let directory, let holder): "\(directory) is in use by \(holder)."
    case .unknownFormat(let path): "\(path) is no store of this version of Gatehouse, nor of an older one."
    case .sqlite(let code, let message): "SQLite failed: \(message) (\(code))."
    case .corrupt(let what): "The store is damaged: \(what)."
    case .clusterMember(let directory):
      "\(directory) belongs to a cluster: only the server that has the cluster's log writes to it."
    case .rowsNotObservable: "SQLite's library is built without the preupdate hook, which a cluster needs."
    case .diverged(let divergence): "The store is not what the cluster's log was made for: \(divergence)."
    case .invalidEntry(let error): "The cluster's log has an entry that is no transaction: \(error)."
    case .destructiveChange: "\(explanation(error))\nWith --destructive it is done nevertheless."
    case .unconvertible(let values) where values.allSatisfy(\.isLosable):
      "\(explanation(error))\nWith --destructive it is done nevertheless."
    default: nil
    }
  }

  private static func server(_ error: ServerError) -> String {
    switch error {
    case .system(let call, let code): "\(call): \(SystemError.text(code))."
    case .malformedAddress(let text): "“\(text)” is no address."
    case .addressInUse(let address): "Another process listens at \(address)."
    case .addressNotAvailable(let address): "This machine does not have the address \(address)."
    case .addressForbidden(let address): "This user may not listen at \(address)."
    case .unreadableCertificate(let file, let code): "cannot read \(file): \(SystemError.text(code))"
    case .malformedCertificate(let file): "\(file) holds no certificate chain in PEM."
    case .malformedKey(let file): "\(file) holds no private key in PEM, or one that is encrypted."
    case .foreignKey(let file): "\(file) is not the key of the certificate."
    case .missingCertificate: "TLS needs a certificate and its key: tls.certificate and tls.key."
    case .outOfMemory: "There is no memory left."
    }
  }
}
