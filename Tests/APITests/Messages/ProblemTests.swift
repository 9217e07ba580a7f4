import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseFeeds
import GatehouseFunctions
import GatehouseHTTP
import GatehouseModel
import GatehouseQuery
import GatehouseSharing
import GatehouseStorage
import Testing

@testable import GatehouseAPI

@Suite struct ProblemTests {
  /// The text that no problem may show.
  private static let secret = "SECRET"
  private static let id = Mixed.string(secret)

  private static let refusals: [(any Error, UInt16, String)] = [
    (APIError.misdirected, 421, "misdirected_request"),
    (APIError.crossOrigin, 403, "cross_origin"),
    (APIError.stopping, 503, "stopping"),
    (APIError.unauthorized(.missing), 401, "unauthorized"),
    (APIError.unauthorized(.scheme), 401, "unauthorized"),
    (APIError.unauthorized(.unknown), 401, "unauthorized"),
    (APIError.tooManyAttempts(seconds: 9), 429, "too_many_attempts"),
    (UserError.issuerUnreachable, 503, "issuer_unreachable"),
    (UserError.noToken, 401, "unauthorized"), (UserError.disabledUser, 403, "forbidden"),
    (UserError.missingText("name"), 400, "invalid_parameter"),
    (UserError.tooManyWaiting(seconds: 9), 503, "login_queue_full"),
    (UserError.unknownUser, 404, "user_not_found"),
    (APIError.keyNotFound, 404, "key_not_found"), (APIError.triggerNotFound, 404, "trigger_not_found"),
    (APIError.taskNotFound, 404, "task_not_found"), (APIError.sessionNotFound, 404, "session_not_found"),
    (APIError.noCluster, 404, "no_cluster"), (APIError.outOfDate, 503, "out_of_date"),
    (APIError.taskRunning, 409, "task_running"), (AppError.notFound, 404, "app_not_found"),
    (AppError.exists, 409, "app_exists"), (AppError.tooMany(limit: 1), 409, "too_many_apps"),
    (AppError.unconfirmed, 428, "app_unconfirmed"), (AppError.invalidName, 422, "invalid_app_name"),
    (AppError.unknownSetting("x"), 422, "invalid_app_settings"),
    (AppError.invalidSetting("x", expected: "y"), 422, "invalid_app_settings"),
    (AppError.busy, 503, "app_busy"), (AppError.unavailable, 503, "app_unavailable"),
    (GroupError.notFound, 404, "group_not_found"), (GroupError.several, 422, "several_groups"),
    (GroupError.link(objectType: "A", property: "b", target: "C"), 422, "link_to_other_group"),
    (GroupError.invalidName, 422, "invalid_group"), (GroupError.invalidClasses, 422, "invalid_group"),
    (GroupError.classTaken("A"), 409, "class_in_other_group"),
    (GroupError.classExists("A"), 409, "class_exists"),
    (GroupError.tooMany(limit: 1), 409, "too_many_groups"),
    (GroupError.tooManyStores(limit: 1), 409, "too_many_groups"),
    (GroupError.notEmpty, 409, "group_not_empty"),
    (GroupError.severalShards, 422, "several_shards"),
    (GroupError.partlyDone, 409, "partly_done"),
    (GroupError.unshardable(objectType: "A", .primaryKey), 422, "unshardable_class"),
    (GroupError.shardsDiffer, 503, "shards_differ"), (GroupError.invalidShards, 422, "invalid_group"),
    (StorageError.keyOfOtherStore(objectType: "A", id: .int(1)), 422, "other_shard"),
    (StorageError.classOutOfBounds("A"), 409, "class_in_other_group"),
    (APIError.invalidMembers([]), 422, "invalid_content"),
    (APIError.routeNotFound, 404, "route_not_found"),
    (APIError.methodNotAllowed(allow: [.get]), 405, "method_not_allowed"),
    (APIError.notAcceptable(offers: MediaType.forOne), 406, "not_acceptable"),
    (APIError.unsupportedMediaType(.put, reads: [.json]), 415, "unsupported_media_type"),
    (APIError.unsupportedContentCoding, 415, "unsupported_content_coding"),
    (APIError.unknownParameter(name: "\(secret)1", nearest: nil, known: [.sort]), 400, "unknown_parameter"),
    (APIError.repeatedParameter(.sort), 400, "repeated_parameter"),
    (APIError.invalidParameter(.mode), 400, "invalid_parameter"),
    (APIError.limitOutOfRange(.limit, maximum: 9), 400, "limit_out_of_range"),
    (APIError.malformedArguments(.args, JSONError(.expectedKey, at: 3)), 400, "malformed_arguments"),
    (APIError.invalidCursor, 400, "invalid_cursor"), (APIError.foreignCursor, 400, "foreign_cursor"),
    (APIError.unknownClass(name: secret, nearest: "A"), 404, "unknown_class"),
    (APIError.embeddedClass("A"), 404, "embedded_class"),
    (APIError.invalidIdentifier(objectType: "A"), 400, "invalid_identifier"),
    (APIError.invalidPrecondition("If-Match"), 400, "invalid_precondition"),
    (APIError.preconditionFailed, 412, "precondition_failed"),
    (
      APIError.malformedContent(Content.SyntaxError(rule: .json(.tooDeep), offset: 1, line: 2)), 400,
      "malformed_json"
    ),
    (
      APIError.malformedContent(Content.SyntaxError(rule: .bson(.tooDeep), offset: 1, line: nil)), 400,
      "malformed_bson"
    ),
    (
      APIError.malformedContent(Content.SyntaxError(rule: .csv(.quoteInField), offset: 1, line: 2)), 400,
      "malformed_csv"
    ),
    (
      APIError.malformedContent(Content.SyntaxError(rule: .foreign(.gzip), offset: 0, line: 1)), 400,
      "malformed_json"
    ),
    (APIError.invalidObjects([]), 422, "invalid_object"),
    (APIError.invalidTransaction([]), 422, "invalid_transaction"),
    (APIError.missingParameter(.filter), 400, "missing_parameter"),
    (APIError.invalidIdempotencyKey, 400, "invalid_idempotency_key"),
    (APIError.idempotencyKeyInUse, 409, "idempotency_key_in_use"),
    (APIError.contradictoryParameters(.aggregate, .cursor), 400, "contradictory_parameters"),
    (APIError.notParameters, 400, "invalid_query"),
    (APIError.missingMember("from"), 400, "missing_parameter"),
    (APIError.preconditionRequired(nil), 428, "precondition_required"),
    (APIError.lineTooLong(1, limit: 1), 413, "content_too_large"),
    (APIError.classNameMismatch, 422, "class_name_mismatch"),
  ]

  private static let stores: [(any Error, UInt16, String)] = [
    (StorageError.notADirectory(secret), 503, "store_unavailable"),
    (StorageError.notWritable(secret), 503, "store_unavailable"),
    (StorageError.locked(directory: secret, holder: secret), 503, "store_unavailable"),
    (StorageError.unknownFormat(secret), 503, "store_unavailable"),
    (StorageError.sqlite(code: 1, message: secret), 500, "storage_failure"),
    (StorageError.corrupt(secret), 500, "storage_corrupt"), (StorageError.diskFull, 507, "storage_full"),
    (StorageError.reserveExceeded, 507, "storage_full"),
    (StorageError.storeNotFound(secret), 503, "store_unavailable"),
    (StorageError.backupExists(secret), 503, "store_unavailable"),
    (StorageError.unfinishedRestore(secret), 503, "store_unavailable"),
    (StorageError.sqlite(code: 10 | 3 << 8, message: secret), 503, "store_unavailable"),
    (StorageError.positionExpired, 410, "position_expired"),
    (StorageError.versionAhead, 400, "version_ahead"),
    (StorageError.pastUnavailable(.schemaChanged), 410, "version_unavailable"),
    (StorageError.pastUnavailable(.tooManyChanges), 410, "version_unavailable"),
    (StorageError.pastUnavailable(.tooLarge), 410, "version_unavailable"),
    (StorageError.objectTooLarge(objectType: "A", limit: 1), 422, "object_size_exceeded"),
    (StorageError.tooManyObjects(limit: 1), 422, "too_many_objects"),
    (
      StorageError.invalidRename(PropertyRename(objectType: "A", from: "b", to: "c")), 422, "invalid_rename"
    ),
    (StorageError.unknownClass(secret), 404, "unknown_class"),
    (StorageError.embeddedClass("A"), 404, "embedded_class"),
    (StorageError.objectNotFound(objectType: "A", id: id), 404, "object_not_found"),
    (StorageError.objectExists(objectType: "A", id: id), 409, "object_exists"),
    (StorageError.linkTargetNotFound(objectType: "A", primaryKey: id), 409, "link_target_not_found"),
    (StorageError.primaryKeyChanged(objectType: "A", id: id), 422, "primary_key_changed"),
    (StorageError.versionMismatch(current: 3), 412, "precondition_failed"),
    (StorageError.versionMismatch(current: nil), 412, "precondition_failed"),
    (StorageError.keysExhausted(objectType: "A"), 409, "keys_exhausted"),
    (StorageError.keyOutOfRange(-1), 422, "key_out_of_range"),
    (StorageError.destructiveChange([.classesReordered]), 409, "destructive_change"),
    (StorageError.unconvertible([]), 409, "destructive_change"),
    (
      StorageError.incomputable(
        UnconvertibleValue(objectType: "A", property: "b", id: .int(1), reason: .null)), 409,
      "schema_conflict"
    ),
    (
      StorageError.transformFailed(objectType: "A", id: .int(1), reason: "It threw."), 409, "schema_conflict"
    ),
    (
      StorageError.schemaConflict(SchemaConflict(objectType: "A", properties: ["b"], duplicates: [])), 409,
      "schema_conflict"
    ),
    (
      StorageError.notUnique(UniqueViolation(objectType: "A", properties: ["b"], values: [])), 409,
      "not_unique"
    ), (StorageError.rulesBroken([]), 409, "schema_conflict"),
    (
      StorageError.invalidCheck(CheckError(objectType: "A", index: 0, rule: .hasClauses)), 422,
      "invalid_schema"
    ),
    (StorageError.cancelled, 503, "cancelled"),
    (StorageError.schemaChanged, 503, "schema_changed"),
    (StorageError.invalid(ValidationError([])), 422, "invalid_object"),
    (StorageError.inapplicable(EditConflict(pointer: "/0", reason: .testFailed)), 409, "patch_test_failed"),
    (
      StorageError.inapplicable(EditConflict(pointer: "/0", reason: .pathNotFound)), 409,
      "patch_path_not_found"
    ),
    (
      StorageError.inapplicable(EditConflict(pointer: "/0", reason: .valueUnsuitable)), 409,
      "patch_value_unsuitable"
    ),
    (AccessError.asymmetric(objectType: "A"), 403, "asymmetric_class"),
    (StorageError.notPermitted(objectType: "A", id: id), 403, "forbidden"),
    (
      StorageError.quotaExceeded(QuotaExcess(objectType: "A", .objects, used: 1, allowed: 1)), 403,
      "quota_exceeded"
    ),
    (StorageError.idempotencyKeyReused, 422, "idempotency_key_reused"),
    (StorageError.invalidCursor, 400, "invalid_cursor"),
    (StorageError.cursorExpired, 410, "cursor_expired"), (StorageError.unsortable("A"), 400, "invalid_query"),
    (StorageError.tooManySections(limit: 5), 400, "invalid_query"),
    (StorageError.answerTooLarge(limit: 64 << 20), 400, "answer_too_large"),
    (StorageError.tooLarge, 406, "object_too_large"), (StorageError.timeLimit, 503, "time_limit"),
    (StorageError.outcomeUnknown, 503, "outcome_unknown"),
    (StorageError.notLeading, 503, "not_leader"),
    (StorageError.refused(.exhausted), 503, "overloaded"), (SharingError.exhausted, 503, "overloaded"),
    (StorageError.refused(.share), 429, "share_exceeded"), (SharingError.share, 429, "share_exceeded"),
    (BudgetError(.memory, .exhausted), 503, "memory_exhausted"),
    (BudgetError(.temporaryFiles, .exhausted), 503, "upload_space_exhausted"),
    (BudgetError(.memory, .share), 429, "share_exceeded"),
    (BudgetError(.temporaryFiles, .share), 429, "share_exceeded"),
    (OperationError(operation: 1, reason: .cursorExpired), 410, "cursor_expired"),
  ]

  private static let others: [(any Error, UInt16, String)] = [
    (APIError.invalidPatch, 422, "invalid_patch"),
    (APIError.invalidAuditField("audit-scope"), 400, "invalid_audit_field"),
    (APIError.invalidAuditContent(pointer: "/activity"), 422, "invalid_audit_content"),
    (AuditError.scopeNotInProgress(1), 409, "scope_not_in_progress"), (AuditError.disabled, 409, "audit_off"),
    (AuditError.classOccupied, 409, "trail_occupied"), (AuditError.tooManyScopes, 429, "too_many_scopes"),
    (AuditError.reservedKind("write"), 422, "reserved_event"),
    (AuditError.tooManyEvents(seconds: 5), 429, "too_many_events"),
    (AuditError.invalidMetadataKey("k", .length), 422, "invalid_metadata"),
    (AuditError.invalidMetadataKey("k", .name), 422, "invalid_metadata"),
    (StorageError.appendOnlyClass("AuditEvent"), 403, "guarded_class"),
    (StorageError.commitHookFailed("AuditEvent"), 500, "not_recorded"),
    (APIError.tooManySubscribers, 429, "too_many_subscribers"),
    (APIError.invalidTicket, 401, "invalid_ticket"), (APIError.ticketNotTaken, 400, "ticket_not_taken"),
    (APIError.notWatchable, 400, "not_watchable"),
    (APIError.tooManyTickets(seconds: 30), 429, "too_many_tickets"),
    (MultiplexError.unknownStream, 404, "stream_not_found"),
    (MultiplexError.unknownSubscription, 404, "subscription_not_found"),
    (MultiplexError.nameTaken("a"), 409, "subscription_exists"),
    (MultiplexError.tooManySubscriptions, 429, "too_many_subscribers"),
    (APIError.rateLimited(seconds: 1), 429, "rate_limited"),
    (APIError.readOnlyProperty(allow: [.get]), 405, "read_only_property"),
    (APIError.invalidPath(.empty), 404, "path_not_found"),
    (APIError.invalidPath(.tooDeep(limit: 1)), 400, "path_too_deep"),
    (APIError.invalidPath(.segment(0, .unknownProperty(objectType: "A"))), 404, "unknown_property"),
    (APIError.invalidPath(.segment(0, .invalidIndex)), 400, "invalid_index"),
    (APIError.invalidPath(.segment(0, .indexIntoSet)), 400, "index_into_set"),
    (APIError.invalidPath(.segment(0, .intoLinkingObjects)), 404, "no_parts"),
    (APIError.invalidPath(.segment(0, .noParts)), 404, "no_parts"),
    (APIError.invalidPath(.segment(0, .illegalKey)), 422, "illegal_key"),
    (APIError.invalidPath(.segment(0, .keyTooLong(limit: 1))), 422, "key_too_long"),
    (StorageError.place(.nullLink), 404, "null_link"), (StorageError.place(.noEntry), 404, "entry_not_found"),
    (StorageError.place(.noElement), 404, "index_out_of_range"),
    (StorageError.place(.noValue), 404, "path_not_found"),
    (StorageError.place(.entryExists), 409, "entry_exists"),
    (StorageError.place(.wrongKind), 409, "wrong_collection"),
    (PercentEncodingError.null(offset: 0), 400, "malformed_target"),
    (PercentEncodingError.incompleteTriplet(offset: 0), 400, "malformed_target"),
    (PercentEncodingError.invalidUTF8, 400, "malformed_target"),
    (BodyError.tooLarge(limit: 1), 413, "content_too_large"),
    (BodyError.incomplete, 400, "incomplete_content"),
    (SchemaError([]), 422, "invalid_schema"), (ValidationError([]), 422, "invalid_object"),
    (QueryError.textTooLong(limit: 1), 400, "invalid_query"), (Unknown(), 500, "internal_error"),
  ]

  private static let functions: [(any Error, UInt16, String)] = [
    (FunctionError.notFound, 404, "function_not_found"),
    (FunctionError.isPrivate, 403, "function_not_callable"),
    (FunctionError.isDisabled, 403, "function_not_callable"),
    (FunctionError.isProtected, 403, "function_not_callable"),
    (FunctionError.needsCredential, 403, "function_not_callable"),
    (FunctionError.unwritableArguments, 422, "invalid_arguments"),
    (FunctionError.thrown(message: "no"), 400, "function_failed"),
    (FunctionError.syntax(file: "a.js", line: 1, message: "no"), 500, "function_invalid"),
    (FunctionError.notAFunction, 500, "function_invalid"),
    (FunctionError.malformedConfiguration(file: "config.json", offset: 1), 500, "function_invalid"),
    (FunctionError.wrongMember("nme", isKnown: false, file: "config.json", line: 1), 500, "function_invalid"),
    (APIError.rolesInFile, 409, "roles_in_file"),
    (FunctionError.notSerialisable(message: "no"), 500, "function_result_invalid"),
    (FunctionError.resultTooDeep, 500, "function_result_invalid"),
    (FunctionError.malformedAnswer, 500, "function_result_invalid"),
    (FunctionError.resultTooLarge(limit: 1), 500, "function_result_too_large"),
    (FunctionError.crashed(.exited(code: 1)), 500, "function_crashed"),
    (FunctionError.crashed(.killed(signal: 9)), 500, "function_crashed"),
    (FunctionError.crashed(.closed), 500, "function_crashed"),
    (FunctionError.crashed(.outOfMemory), 500, "function_out_of_memory"),
    (FunctionError.timedOut(seconds: 1), 504, "function_timed_out"),
    (FunctionError.queueFull, 503, "function_queue_full"),
    (FunctionError.runtimeMissing(program: "node"), 503, "function_runtime_missing"),
    (FunctionError.cannotStart(code: 1), 503, "function_runtime_missing"),
  ]

  private static let all = refusals + stores + others + functions

  private struct Unknown: Error {}

  private func answer(_ error: any Error) async throws -> Answer {
    try await Answer(Problem(error).response(to: Request(method: .get, target: Target(path: "/"))))
  }

  @Test func `every error has its status and its code`() async throws {
    for (error, status, code) in Self.all {
      let answer = try await answer(error)
      #expect((answer.status, answer.code) == (status, code), "\(error)")
      #expect(answer.fields["content-type"] == "application/problem+json")
      #expect((answer.fields["retry-after"] != nil) == [429, 503].contains(status))
      #expect(!answer.text.contains(Self.secret), "\(error)")
    }
  }

  @Test(
    arguments: [
      (
        APIError.unknownParameter(name: "colour", nearest: nil, known: [.sort]),
        "There is no parameter “colour”; known are sort."
      ),
      (
        APIError.unknownParameter(name: "k3y-of-somebody", nearest: nil, known: [.sort]),
        "There is no parameter of that name; known are sort."
      ),
      (
        APIError.invalidObjects([
          Content.Problem(
            problem: ValidationProblem(
              pointer: "/price", .wrongType(expected: .one(.decimal128, optional: true), found: .double)),
            place: Content.Place(pointer: "/7", line: 8)),
          Content.Problem(problem: ValidationProblem(pointer: "/name", .missing), place: nil),
        ]),
        "The content is no object of the class. Line 8, /7/price: A value of type decimal128? is expected, not double: "
          + #"text with its digits, such as "1.50", as numbers of JSON are doubles. 1 more in “errors”."#
      ),
      (
        APIError.malformedContent(Content.SyntaxError(rule: .json(.expectedKey), offset: 13, line: nil)),
        "The content is not JSON (byte 13). Here a string should begin that names a member."
      ),
      (APIError.routeNotFound, "There is nothing at this path."),
    ] as [(APIError, String)])
  func `the detail has the first mistake with its place`(error: APIError, detail: String) async throws {
    #expect(try await answer(error).document["detail"] == .string(detail))
  }

  @Test func `every code is that of some error`() {
    let samples = Self.all.map { $0.2 }
    #expect(Set(samples) == Set(Problem.Code.allCases.map(\.rawValue)))
  }

  @Test func `an entry in one of several objects has its place`() async throws {
    let failure = WriteError(
      reason: .linkTargetNotFound(objectType: "A", primaryKey: Self.id),
      place: Content.Place(pointer: "/4", line: 6))
    let answer = try await answer(failure)
    #expect(answer.status == 409)
    #expect(
      answer.errors
        == #"[{"pointer":"/4","line":6,"code":"link_target_not_found","#
        + #""detail":"A link leads to an object of class “A” that does not exist."}]"#)
  }

  @Test func `a problem is RFC 9457's`() async throws {
    let answer = try await answer(StorageError.timeLimit)
    #expect(
      answer.text == """
        {"type":"about:blank","title":"Service Unavailable","status":503,"detail":"The request took too long.",\
        "code":"time_limit","requestId":"0000000000000000"}
        """)
    #expect(answer.fields == ["content-type": "application/problem+json", "retry-after": "1"])
  }

  private static let queries: [(QueryError, String, Int?)] = [
    (.textTooLong(limit: 1), "text_too_long", nil), (.tooDeep(offset: 1, limit: 1), "too_deep", 1),
    (.tooManyTerms(offset: 1, limit: 1), "too_many_terms", 1),
    (.invalidCharacter(offset: 2), "invalid_character", 2),
    (.unterminatedString(offset: 2), "unterminated_string", 2),
    (.invalidEscape(offset: 2), "invalid_escape", 2),
    (.invalidBase64(offset: 2), "invalid_base64", 2), (.invalidTimestamp(offset: 2), "invalid_timestamp", 2),
    (.invalidDate(offset: 2), "invalid_date", 2), (.numberOutOfRange(offset: 2), "number_out_of_range", 2),
    (.unexpectedToken(offset: 2, found: "a string", expected: ["AND", "OR"]), "unexpected_token", 2),
    (.invalidSubqueryVariable(offset: 2), "invalid_subquery_variable", 2),
    (.unknownClass(offset: 2, name: secret, nearest: nil), "unknown_class", 2),
    (.unknownProperty(offset: 2, objectType: "A", name: secret, nearest: "b"), "unknown_property", 2),
    (.noPropertyOf(offset: 2, objectType: "A", property: "b", name: secret), "no_property_of", 2),
    (.notIndexable(offset: 2, objectType: "A", property: "b"), "not_a_collection", 2),
    (.incompletePath(offset: 2), "incomplete_path", 2),
    (.subqueryVariableInUse(offset: 2, name: secret), "subquery_variable_in_use", 2),
    (.notAList(offset: 2, objectType: "A", property: "b"), "not_a_list", 2),
    (.subqueryOnValues(offset: 2, objectType: "A", property: "b"), "subquery_on_values", 2),
    (.comparesConstants(offset: 2), "compares_constants", 2),
    (.comparesCollections(offset: 2), "compares_collections", 2),
    (.incomparable(offset: 2, left: "int", right: "string"), "incomparable", 2),
    (.notComparableWithNull(offset: 2), "not_comparable_with_null", 2),
    (.relationUnsupported(offset: 2, relation: "LIKE", type: "int"), "relation_unsupported", 2),
    (.quantifierWithoutList(offset: 2, quantifier: "ALL"), "quantifier_without_list", 2),
    (.infinityUnsupported(offset: 2, type: "int"), "infinity_unsupported", 2),
    (.linkTypeMismatch(offset: 2, expected: "A", found: "B"), "link_type_mismatch", 2),
    (.betweenNeedsTwoBounds(offset: 2), "between_needs_two_bounds", 2),
    (.betweenNeedsAll(offset: 2), "between_needs_all", 2),
    (.aggregateUnsupported(offset: 2, function: "@sum", type: "string"), "aggregate_unsupported", 2),
    (.arithmeticUnsupported(offset: 2, type: "string"), "arithmetic_unsupported", 2),
    (.fullTextIndexMissing(offset: 2), "full_text_index_missing", 2),
    (.unknownTypeName(offset: 2, name: secret), "unknown_type_name", 2),
    (.emptySearch(offset: 2), "empty_search", 2),
    (.invalidSearchWord(offset: 2), "invalid_search_word", 2),
    (.contradictorySearch(offset: 2), "contradictory_search", 2),
    (.missingArgument(offset: 2, index: 1, count: 0), "missing_argument", 2),
    (.argumentTypeMismatch(offset: 2, index: 1, type: "int"), "argument_type_mismatch", 2),
    (.inNeedsList(offset: 2), "in_needs_list", 2),
    (.coordinatesOutOfBounds(offset: 2), "coordinates_out_of_bounds", 2),
    (.ringNotClosed(offset: 2, ring: 0), "ring_not_closed", 2),
    (.ringTooSmall(offset: 2, ring: 0), "ring_too_small", 2),
    (.ringsCross(offset: 2, ring: 0), "rings_cross", 2),
    (.radiusOutOfBounds(offset: 2), "radius_out_of_bounds", 2),
    (.geoNeedsEmbeddedObject(offset: 2), "geo_needs_embedded_object", 2),
    (.sortOnCollection(offset: 2), "sort_on_collection", 2),
    (.sortThroughCollection(offset: 2), "sort_through_collection", 2),
    (.sortOnObject(offset: 2), "sort_on_object", 2),
    (.emptyName(offset: 2), "empty_name", 2), (.limitOutOfRange(offset: 2), "limit_out_of_range", 2),
    (.notExpandable(offset: 2, objectType: "A", property: "b"), "not_expandable", 2),
  ]

  @Test func `every rule of the query language has a code of its own, and its offset`() async throws {
    for (error, code, offset) in Self.queries {
      let problem = Problem(error)
      #expect(problem.code == .invalidQuery)
      #expect(problem.errors.map(\.code) == [code])
      #expect(problem.errors.map(\.place) == [.parameter("filter", offset: offset)])
      #expect(
        Problem(QueryError.parameter(.sort, error)).errors.map(\.place) == [
          .parameter("sort", offset: offset)
        ])
      #expect(!(try await answer(error)).text.contains(Self.secret))
    }
    #expect(Set(Self.queries.map(\.1)).count == Self.queries.count)
  }

  @Test func `every rule for values has a code of its own`() {
    let rules: [ValidationRule] = [
      .notADocument(found: .int), .unknownProperty, .repeatedProperty, .missing, .null,
      .wrongType(expected: .one(.int, optional: false), found: .string), .outOfRange(.int), .malformed(.uuid),
      .illegalKey, .repeatedKey, .readOnly, .inlineObject("A"), .malformedReference,
      .wrongReference(expected: "A"),
      .unknownClass(Self.secret), .embeddedReference("A"), .asymmetricReference("A"), .collectionInSet,
      .unsupportedType(found: .minKey),
      .unsupportedSubtype(5),
      .tooDeep(limit: 1), .notAnArray(found: .int), .unknownOperation, .memberMissing, .malformedPath,
      .noPath,
      .conflictingPath, .operationUnsupported(type: .one(.bool, optional: false)), .overflow, .tooMuchWork,
    ]
    let entries = Problem(ValidationError(rules.map { ValidationProblem(pointer: "/a", $0) })).errors
    #expect(Set(entries.map(\.code)).count == rules.count)
    #expect(entries.allSatisfy { $0.place == .pointer("/a", line: nil) && !$0.detail.contains(Self.secret) })
  }

  @Test func `every rule for schemas has a code of its own`() {
    let rules: [SchemaRule] = [
      .notAnArray, .notADocument(position: 1), .nameMissing(position: 1), .memberUnknown("a"),
      .memberMissing("a"),
      .memberRepeated("a"), .memberOfWrongType("a"), .memberNotAllowed("a"), .malformedType("a"),
      .contradictoryOptional, .malformedProperty, .illegalName(.empty),
      .illegalStoredName(.tooLong(limit: 1)),
      .duplicateClass, .duplicateProperty, .duplicateStoredName("a"), .tooManyProperties(limit: 1),
      .unknownObjectType("A"), .linkNotOptional, .mixedNotOptional, .objectsInCollectionOptional,
      .objectsInMapNotOptional, .embeddedInSet, .linkToAsymmetric("A"), .asymmetricEmbedded,
      .primaryKeyMissing("a"), .illegalPrimaryKeyType,
      .primaryKeyOnEmbedded, .unknownLinkingProperty("a"), .linkingPropertyNotALink("a"),
      .linkingObjectsFromEmbedded("A"), .notIndexable, .notFullTextIndexable, .defaultNotAllowed,
      .illegalDefault(ValidationProblem(pointer: "", .null)),
    ]
    let entries = Problem(SchemaError(rules.map { SchemaProblem(objectType: "A", property: "p", $0) })).errors
    #expect(Set(entries.map(\.code)).count == rules.count)
    #expect(entries.allSatisfy { $0.place == .schema(objectType: "A", property: "p") })
  }
}
