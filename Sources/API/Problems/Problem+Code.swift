import GatehouseHTTP

extension Problem {
  /// The kind of problem. The raw value is stable: programs may depend on it.
  enum Code: String, Hashable, Sendable, CaseIterable {
    // 400: the request is malformed.
    case malformedTarget = "malformed_target"
    case unknownParameter = "unknown_parameter"
    case repeatedParameter = "repeated_parameter"
    case invalidParameter = "invalid_parameter"
    case missingParameter = "missing_parameter"
    case limitOutOfRange = "limit_out_of_range"
    case malformedArguments = "malformed_arguments"
    case invalidCursor = "invalid_cursor"
    case foreignCursor = "foreign_cursor"
    case versionAhead = "version_ahead"
    case invalidQuery = "invalid_query"
    case answerTooLarge = "answer_too_large"
    case invalidIdentifier = "invalid_identifier"
    case invalidIndex = "invalid_index"
    case indexIntoSet = "index_into_set"
    case pathTooDeep = "path_too_deep"
    case invalidPrecondition = "invalid_precondition"
    case invalidIdempotencyKey = "invalid_idempotency_key"
    case invalidAuditField = "invalid_audit_field"
    case contradictoryParameters = "contradictory_parameters"
    case ticketNotTaken = "ticket_not_taken"
    case notWatchable = "not_watchable"
    case malformedJSON = "malformed_json"
    case malformedBSON = "malformed_bson"
    case malformedCSV = "malformed_csv"
    case incompleteContent = "incomplete_content"

    // 401 and 403: who asks, and what they may do.
    case unauthorized = "unauthorized"
    case invalidTicket = "invalid_ticket"
    case forbidden = "forbidden"
    case crossOrigin = "cross_origin"

    // 404: there is nothing here.
    case routeNotFound = "route_not_found"
    case unknownClass = "unknown_class"
    case embeddedClass = "embedded_class"
    case objectNotFound = "object_not_found"
    case unknownProperty = "unknown_property"
    case keyNotFound = "key_not_found"
    case triggerNotFound = "trigger_not_found"
    case taskNotFound = "task_not_found"
    case appNotFound = "app_not_found"
    case groupNotFound = "group_not_found"
    case sessionNotFound = "session_not_found"
    case noCluster = "no_cluster"
    case streamNotFound = "stream_not_found"
    case subscriptionNotFound = "subscription_not_found"
    case userNotFound = "user_not_found"
    case noParts = "no_parts"
    case nullLink = "null_link"
    case entryNotFound = "entry_not_found"
    case indexOutOfRange = "index_out_of_range"
    case pathNotFound = "path_not_found"

    // 405 to 415, but for the two below.
    case methodNotAllowed = "method_not_allowed"
    case readOnlyProperty = "read_only_property"
    case notAcceptable = "not_acceptable"
    case objectTooLarge = "object_too_large"
    case cursorExpired = "cursor_expired"
    case positionExpired = "position_expired"
    case versionUnavailable = "version_unavailable"
    case preconditionFailed = "precondition_failed"
    case contentTooLarge = "content_too_large"
    case unsupportedMediaType = "unsupported_media_type"
    case unsupportedContentCoding = "unsupported_content_coding"

    // 421.
    case misdirectedRequest = "misdirected_request"

    // 403, whoever asks; and what would be too much for this caller.
    case guardedClass = "guarded_class"
    case asymmetricClass = "asymmetric_class"
    case quotaExceeded = "quota_exceeded"

    // 409: not in this state of the store.
    case objectExists = "object_exists"
    case notUnique = "not_unique"
    case keysExhausted = "keys_exhausted"
    case subscriptionExists = "subscription_exists"
    case linkTargetNotFound = "link_target_not_found"
    case destructiveChange = "destructive_change"
    case schemaConflict = "schema_conflict"
    case patchTestFailed = "patch_test_failed"
    case patchPathNotFound = "patch_path_not_found"
    case patchValueUnsuitable = "patch_value_unsuitable"
    case idempotencyKeyInUse = "idempotency_key_in_use"
    case entryExists = "entry_exists"
    case wrongCollection = "wrong_collection"
    case scopeNotInProgress = "scope_not_in_progress"
    case auditOff = "audit_off"
    case trailOccupied = "trail_occupied"
    case taskRunning = "task_running"
    case appExists = "app_exists"
    case tooManyApps = "too_many_apps"
    case tooManyGroups = "too_many_groups"
    case groupNotEmpty = "group_not_empty"
    case classExists = "class_exists"
    case classInOtherGroup = "class_in_other_group"
    case partlyDone = "partly_done"
    case rolesInFile = "roles_in_file"

    // 422: well-formed, but not valid.
    case invalidObject = "invalid_object"
    case objectSizeExceeded = "object_size_exceeded"
    case tooManyObjects = "too_many_objects"
    case invalidContent = "invalid_content"
    case invalidSchema = "invalid_schema"
    case invalidRename = "invalid_rename"
    case classNameMismatch = "class_name_mismatch"
    case primaryKeyChanged = "primary_key_changed"
    case keyOutOfRange = "key_out_of_range"
    case invalidTransaction = "invalid_transaction"
    case illegalKey = "illegal_key"
    case keyTooLong = "key_too_long"
    case invalidPatch = "invalid_patch"
    case idempotencyKeyReused = "idempotency_key_reused"
    case invalidMetadata = "invalid_metadata"
    case invalidAuditContent = "invalid_audit_content"
    case invalidAppName = "invalid_app_name"
    case invalidAppSettings = "invalid_app_settings"
    case invalidGroup = "invalid_group"
    case severalGroups = "several_groups"
    case linkToOtherGroup = "link_to_other_group"
    case severalShards = "several_shards"
    case otherShard = "other_shard"
    case unshardableClass = "unshardable_class"
    case reservedEvent = "reserved_event"

    // 428.
    case preconditionRequired = "precondition_required"
    case appUnconfirmed = "app_unconfirmed"

    // 429.
    case tooManySubscribers = "too_many_subscribers"
    case tooManyTickets = "too_many_tickets"
    case tooManyScopes = "too_many_scopes"
    case tooManyEvents = "too_many_events"
    case tooManyAttempts = "too_many_attempts"
    case shareExceeded = "share_exceeded"
    case rateLimited = "rate_limited"

    // 500, 503 and 507: not the client's fault.
    case internalError = "internal_error"
    case notRecorded = "not_recorded"
    case storageFailure = "storage_failure"
    case storageCorrupt = "storage_corrupt"
    case storageFull = "storage_full"
    case storeUnavailable = "store_unavailable"
    case outcomeUnknown = "outcome_unknown"
    case notLeader = "not_leader"
    case outOfDate = "out_of_date"
    case schemaChanged = "schema_changed"
    case shardsDiffer = "shards_differ"
    case appBusy = "app_busy"
    case appUnavailable = "app_unavailable"
    case stopping
    case cancelled
    case overloaded
    case memoryExhausted = "memory_exhausted"
    case uploadSpaceExhausted = "upload_space_exhausted"
    case timeLimit = "time_limit"
    case loginQueueFull = "login_queue_full"
    case issuerUnreachable = "issuer_unreachable"

    // Functions: 400, 404, 403, 422, then what is not the client's fault.
    case functionFailed = "function_failed"
    case functionNotFound = "function_not_found"
    case functionNotCallable = "function_not_callable"
    case invalidArguments = "invalid_arguments"
    case functionInvalid = "function_invalid"
    case functionResultInvalid = "function_result_invalid"
    case functionResultTooLarge = "function_result_too_large"
    case functionCrashed = "function_crashed"
    case functionOutOfMemory = "function_out_of_memory"
    case functionTimedOut = "function_timed_out"
    case functionQueueFull = "function_queue_full"
    case functionRuntimeMissing = "function_runtime_missing"
  }
}

extension Problem.Code {
  /// Whether it is about the text of a query or the name of a parameter: of such mistakes the first is told.
  var isOfQuery: Bool { self == .invalidQuery || self == .unknownParameter }

  var status: Status {
    switch self {
    case .malformedTarget, .unknownParameter, .repeatedParameter, .invalidParameter, .missingParameter,
      .limitOutOfRange,
      .malformedArguments, .invalidCursor, .foreignCursor, .versionAhead, .invalidQuery, .answerTooLarge,
      .invalidIdentifier,
      .invalidIndex, .indexIntoSet, .pathTooDeep,
      .invalidPrecondition, .invalidIdempotencyKey, .invalidAuditField,
      .contradictoryParameters, .ticketNotTaken, .notWatchable, .malformedJSON, .malformedBSON, .malformedCSV,
      .incompleteContent:
      .badRequest
    case .unauthorized, .invalidTicket: .unauthorized
    case .forbidden, .crossOrigin, .guardedClass, .asymmetricClass, .quotaExceeded: .forbidden
    case .routeNotFound, .unknownClass, .embeddedClass, .objectNotFound, .unknownProperty, .keyNotFound,
      .triggerNotFound, .taskNotFound, .appNotFound, .groupNotFound, .sessionNotFound, .noCluster,
      .streamNotFound,
      .subscriptionNotFound,
      .userNotFound,
      .noParts,
      .nullLink,
      .entryNotFound, .indexOutOfRange, .pathNotFound:
      Status(rawValue: 404)
    case .methodNotAllowed, .readOnlyProperty: Status(rawValue: 405)
    case .notAcceptable, .objectTooLarge: Status(rawValue: 406)
    case .objectExists, .notUnique, .keysExhausted, .subscriptionExists, .linkTargetNotFound,
      .destructiveChange,
      .schemaConflict,
      .patchTestFailed,
      .patchPathNotFound, .patchValueUnsuitable, .idempotencyKeyInUse, .entryExists,
      .wrongCollection, .scopeNotInProgress, .auditOff, .trailOccupied, .rolesInFile, .taskRunning,
      .appExists, .tooManyApps, .tooManyGroups, .groupNotEmpty, .classExists, .classInOtherGroup,
      .partlyDone:
      Status(rawValue: 409)
    case .cursorExpired, .positionExpired, .versionUnavailable: Status(rawValue: 410)
    case .preconditionFailed: Status(rawValue: 412)
    case .contentTooLarge: .contentTooLarge
    case .unsupportedMediaType, .unsupportedContentCoding: Status(rawValue: 415)
    case .misdirectedRequest: .misdirectedRequest
    case .invalidObject, .objectSizeExceeded, .tooManyObjects, .invalidContent, .invalidSchema,
      .invalidRename, .classNameMismatch,
      .primaryKeyChanged,
      .keyOutOfRange, .invalidTransaction, .illegalKey, .keyTooLong, .invalidPatch, .idempotencyKeyReused,
      .invalidMetadata, .invalidAuditContent, .reservedEvent, .invalidAppName, .invalidAppSettings,
      .invalidGroup, .severalGroups, .linkToOtherGroup, .severalShards, .otherShard, .unshardableClass:
      Status(rawValue: 422)
    case .preconditionRequired, .appUnconfirmed: Status(rawValue: 428)
    // RFC 6585 §4.
    case .tooManySubscribers, .tooManyTickets, .tooManyAttempts, .tooManyScopes, .tooManyEvents,
      .shareExceeded,
      .rateLimited:
      Status(rawValue: 429)
    case .internalError, .notRecorded, .storageFailure, .storageCorrupt: .internalServerError
    case .storeUnavailable, .outcomeUnknown, .notLeader, .outOfDate, .schemaChanged, .shardsDiffer, .appBusy,
      .appUnavailable, .stopping, .cancelled,
      .overloaded,
      .memoryExhausted,
      .uploadSpaceExhausted, .timeLimit:
      .serviceUnavailable
    case .functionFailed: .badRequest
    case .functionNotFound: Status(rawValue: 404)
    case .functionNotCallable: Status(rawValue: 403)
    case .invalidArguments: Status(rawValue: 422)
    case .functionInvalid, .functionResultInvalid, .functionResultTooLarge, .functionCrashed,
      .functionOutOfMemory:
      .internalServerError
    case .functionTimedOut: Status(rawValue: 504)
    case .functionQueueFull, .functionRuntimeMissing, .loginQueueFull, .issuerUnreachable:
      .serviceUnavailable
    // RFC 4918 §11.5.
    case .storageFull: Status(rawValue: 507)
    }
  }
}
