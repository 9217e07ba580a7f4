import GatehouseBSON
import GatehouseHTTP
import GatehouseModel

/// A reason of the API's own to refuse a request, beside those of the targets below.
enum APIError: Error, Hashable {
  /// The request is addressed to another host.
  case misdirected
  /// A web page of another origin sends it, and nobody has to show a credential here.
  case crossOrigin
  /// The server is about to stop.
  case stopping

  // Nodes of a cluster.
  /// The server is alone.
  case noCluster
  /// Another node answers this, and could not be reached.
  case notLeader
  /// The node has not heard lately of what is written elsewhere.
  case outOfDate

  // Callers.
  case unauthorized(CredentialError)
  /// Too many logins failed; after `seconds` there may be another.
  case tooManyAttempts(seconds: Int)
  /// The caller has made as many requests as it may; after `seconds` there may be another.
  case rateLimited(seconds: Int)
  /// No key has that identifier.
  case keyNotFound
  case triggerNotFound
  case taskNotFound
  case sessionNotFound
  /// The task has been begun, and has not ended.
  case taskRunning
  /// The roles are those of a file in the data directory.
  case rolesInFile

  // Routes.
  case routeNotFound
  case methodNotAllowed(allow: [Method])

  // Negotiation.
  case notAcceptable(offers: [MediaType])
  /// The Content-Type is none of those that the method reads here.
  case unsupportedMediaType(Method, reads: [ContentType])
  /// The Content-Encoding says that the content is compressed.
  case unsupportedContentCoding

  // Query parameters.
  case unknownParameter(name: String, nearest: String?, known: [Parameters.Name])
  case repeatedParameter(Parameters.Name)
  case invalidParameter(Parameters.Name)
  case missingParameter(Parameters.Name)
  case limitOutOfRange(Parameters.Name, maximum: Int)
  case malformedArguments(Parameters.Name, JSONError)
  /// Two parameters that ask for different answers.
  case contradictoryParameters(Parameters.Name, Parameters.Name)
  /// The content should be a document of parameters.
  case notParameters
  /// The content lacks this member, or it is no text.
  case missingMember(String)
  case invalidCursor
  /// The cursor was made for another query.
  case foreignCursor

  // Event streams.
  /// The ticket is none, was used, has expired, or is for another URL.
  case invalidTicket
  /// A ticket is shown for something else than an event stream.
  case ticketNotTaken
  /// The caller has as many tickets as it may have; after `seconds` there may be another.
  case tooManyTickets(seconds: Int)
  /// The URL leads to nothing that can be watched.
  case notWatchable
  /// There are as many as there may be, in all or from one client.
  case tooManySubscribers

  // Names and identifiers in the path.
  case unknownClass(name: String, nearest: String?)
  /// The objects of the class live inside others.
  case embeddedClass(String)
  case invalidIdentifier(objectType: String)

  case invalidPath(PathError)
  /// Linking objects are computed.
  case readOnlyProperty(allow: [Method])

  // Preconditions.
  /// The field is malformed, or means nothing for this resource.
  case invalidPrecondition(String)
  /// As many classes are there as a schema may have for an insert to make another.
  case tooManyClasses(limit: Int)
  case preconditionFailed
  /// The write would need an If-Match, or an `ifVersion` at that place of the content.
  case preconditionRequired(Content.Place?)

  // Recording.
  /// The field does not name scopes, or no activity.
  case invalidAuditField(String)
  /// A scope, event or metadata that is none.
  case invalidAuditContent(pointer: String)

  // Repetitions.
  /// No string of RFC 9651, or an empty or too long one.
  case invalidIdempotencyKey
  /// Another request with that key is being answered.
  case idempotencyKeyInUse

  // Content.
  case malformedContent(Content.SyntaxError)
  case lineTooLong(Int, limit: Int)
  /// The values of one object, or of several, are no objects of the class.
  case invalidObjects([Content.Problem])
  /// The content does not say what happens to the list or set.
  case invalidPatch
  /// A transaction that is none.
  case invalidTransaction([TransactionError])
  /// Content that is neither an array nor has `arguments`, which is one.
  case noArguments
  /// The content is a document, but not the one that is expected.
  case invalidMembers([MemberError])
  /// A class whose name is not the one in the path.
  case classNameMismatch
}
