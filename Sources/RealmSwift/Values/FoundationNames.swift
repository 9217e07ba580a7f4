internal import Foundation

// Names by which files tell Foundation's types from those of the store, which have the same ones.
typealias FoundationDate = Date
typealias FoundationUUID = UUID
typealias FoundationData = Data
