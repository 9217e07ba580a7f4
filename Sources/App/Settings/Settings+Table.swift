extension Settings {
  /// The one list of all settings.
  static let table = general + functions

  private static let general: [Setting] = [
    Setting("data", \.data, value: "DIR", help: "The data directory; created where there is none."),
    Setting(
      "listen", \.listen, value: "ADDR:PORT,…",
      help: """
        Where to listen; port 0 takes any free port, unix:/path is a Unix-domain socket, none is nowhere. \
        Sockets that a service manager hands over (LISTEN_FDS) take the place of listen and tls.listen.
        """),
    Setting("tls.listen", \.tlsListen, value: "ADDR:PORT,…", help: "Where to listen for TLS."),
    Setting(
      "tls.certificate", \.tlsCertificate, value: "FILE",
      help: "The certificate in PEM, followed by those that lead to the root. SIGHUP has it read again."),
    Setting("tls.key", \.tlsKey, value: "FILE", help: "The certificate's key in PEM, not encrypted."),
    Setting(
      "adminKey", \.adminKey, value: "KEY",
      help: """
        A key of the administrator's (Authorization: Bearer), of at least 16 characters; best given as \
        GATEHOUSE_ADMIN_KEY. Once there is a key, this one or one that “key create” made, callers need one, and the \
        server may listen anywhere.
        """
    ).secret,
    Setting(
      "cluster", \.cluster, value: "URL",
      help: """
        The servers that keep the log of a cluster that this server is a node of, such as nats://n1,n2,n3 or \
        etcd://e1,e2,e3. none: it is alone. See the page on clusters.
        """
    ).secret,
    Setting(
      "clusterAddress", \.clusterAddress, value: "HOST:PORT",
      help: """
        Where the other nodes reach this one, which is its name in the cluster; with https:// before it where that is by \
        TLS. Unless it is given, the address of the first listener, with the name of this machine in the place of 0.0.0.0.
        """),
    Setting(
      "server.proxies", \.proxies, value: "NETWORK,…",
      help: """
        Proxies that are believed when they say for whom they ask (Forwarded, X-Forwarded-For), such as 10.0.0.0/8, \
        ::1 or unix (whoever connects by a Unix-domain socket). Whatever goes by address goes by the client's then.
        """),
    Setting(
      "server.proxyProtocol", \.proxyProtocol, value: "true|false",
      help: """
        Whether each connection of those proxies begins with a header of the PROXY protocol (version 1 or 2); one \
        without is closed.
        """),
    Setting(
      "hosts", \.hosts, value: "any|NAME,NAME",
      help: """
        Names that requests may be addressed to (Host), beside those of this machine's loopback, where there is \
        no key. Others are refused, so that a web page cannot reach the server under a name of its own. none: no others.
        """
    ).live,
    Setting(
      "cors.origins", \.corsOrigins, value: "none|any|ORIGIN,ORIGIN",
      help: "Web pages of other origins that may use the server, such as https://app.example.org."
    ).live,
    Setting(
      "cors.credentials", \.corsCredentials, value: "true|false",
      help: "Whether those pages' cookies and other credentials may come along; not with any."
    ).live,
    Setting(
      "cors.maxAgeSeconds", \.corsMaxAgeSeconds, value: "N",
      help: "How long browsers may remember what a page may do."
    ).live,
    Setting(
      "eventLoops", \.eventLoops, value: "N",
      help: "Threads that answer requests, each with connections of its own; 0: one per processor."),
    Setting(
      "scheduling", \.scheduling, value: "batch|other",
      help: """
        Whether a thread that wakes waits for its turn (batch), so that more is done where all processors are busy, \
        or may interrupt others (other); see sched(7).
        """),
    Setting(
      "accessLog", \.accessLog, value: "off|stderr|FILE",
      help: """
        Where a line of JSON goes for each request: its route, method, status, bytes, time and id, and nothing of \
        what it said. SIGHUP opens the file anew.
        """),
    Setting(
      "slowQueryMilliseconds", \.slowQueryMilliseconds, value: "N",
      help: """
        A query that takes longer is told in the log: its class, its statement and the indexes it used, and no values. 0: none is.
        """
    ).live,
    Setting(
      "serverTiming", \.serverTiming, value: "true|false",
      help: "Whether answers say in Server-Timing how long they took to make."),
    Setting(
      "backup.to", \.backupTo, value: "PLACE",
      help:
        "Where backups go that an administrator begins in the console: a directory, or s3://BUCKET/PREFIX."),
    Setting(
      "compression", \.compression, value: "true|false",
      help:
        "Whether contents that are text are compressed by gzip for clients that take it, where the system has zlib."
    ),
    Setting(
      "hosting", \.hosting, value: "DIR",
      help: "A folder whose files are served beside the API, as a web site: to everybody, without a key."),
    Setting(
      "hosting.fallback", \.hostingFallback, value: "FILE",
      help: "The file of that folder that browsers get where there is none, such as index.html."),
    Setting(
      "traces.endpoint", \.tracesEndpoint, value: "URL",
      help: """
        The collector that spans of requests, calls of functions and slow queries are sent to by OTLP/HTTP, such as \
        http://127.0.0.1:4318. none: there are none.
        """),
    Setting(
      "traces.headers", \.tracesHeaders, value: "NAME=VALUE,…",
      help:
        "Fields that the collector wants, such as a key of its own; best given as GATEHOUSE_TRACES_HEADERS."
    ).secret,
    Setting(
      "traces.percent", \.tracesPercent, value: "N",
      help: """
        How many of a hundred requests are recorded whose clients say nothing in traceparent; where they do, they say \
        whether the request is recorded.
        """),
    Setting(
      "outbound.allow", \.outboundRanges, value: "NETWORK,…",
      help: """
        Private addresses, such as 10.0.0.0/8, that context.http of functions and webhooks of triggers may go to, and that issuers of tokens may have; \
        public ones are allowed.
        """),
    Setting(
      "mail.server", \.mailServer, value: "URL",
      help: """
        The server that takes the mails of accounts: smtp://HOST:587 (TLS by STARTTLS) or smtps://HOST:465. Without one, \
        no mail is sent.
        """),
    Setting("mail.from", \.mailSender, value: "ADDRESS", help: "The address that mails are from."),
    Setting("mail.user", \.mailUser, value: "NAME", help: "The user at the mail server."),
    Setting(
      "mail.password", \.mailPassword, value: "TEXT",
      help: "The user's password; best given as GATEHOUSE_MAIL_PASSWORD."
    ).secret,
    Setting(
      "mail.certificates", \.mailCertificates, value: "FILE",
      help:
        "Authorities in PEM that are trusted with the mail server's certificate, in the place of the system's."
    ),
    Setting(
      "limits.connections", \.connections, value: "N", least: 1,
      help: "Open connections; what comes on top is closed."),
    Setting(
      "limits.connectionsPerAddress", \.connectionsPerAddress, value: "N", least: 1,
      help: "Open connections from one address (from one /64 network where it is IPv6)."),
    Setting(
      "limits.requestsPerSecond", \.requestsPerSecond, value: "N",
      help: """
        Requests that each credential may make in a second, and each address (each /64 network where it is IPv6) without \
        one; more are 429. 0: any number.
        """
    ).live,
    Setting(
      "limits.requestBurst", \.requestBurst, value: "N",
      help: "Requests that may come at once after a pause; 0: limits.requestsPerSecond."
    ).live,
    Setting(
      "limits.requestsPerConnection", \.requestsPerConnection, value: "N", least: 1,
      help: "Requests after which a connection is closed."),
    Setting(
      "limits.requestLineBytes", \.requestLineBytes, value: "N", least: 1,
      help: "The longest request line, in bytes; more is 414."),
    Setting(
      "limits.headBytes", \.headBytes, value: "N", least: 1,
      help: "Request line and fields together, in bytes; more is 431."),
    Setting("limits.fields", \.fields, value: "N", least: 1, help: "Field lines of a request; more are 431."),
    Setting(
      "limits.contentBytes", \.contentBytes, value: "N", help: "The largest content of a request, in bytes."),
    Setting(
      "limits.streamBytes", \.streamBytes, value: "N",
      help: "The largest stream of lines (NDJSON), in bytes; it is kept in the data directory meanwhile."),
    Setting(
      "limits.memoryMegabytes", \.memoryMegabytes, value: "N", least: 1,
      help: """
        Memory that callers share for contents that are being read, four bytes for each byte of a content and more for \
        each value in it, for large answers \
        that clients have not taken, and for open audit scopes. One caller alone may have half of it; more is 503, or 429.
        """),
    Setting(
      "limits.uploadMegabytes", \.uploadMegabytes, value: "N",
      help: """
        Room on the disk that callers share for streams of lines that are arriving. One caller alone may have half of \
        it; more is 503, or 429. 0: half of what is free at the start.
        """),
    Setting(
      "limits.idleSeconds", \.idleSeconds, value: "N", least: 1,
      help: "How long a connection may stay open without a request."),
    Setting(
      "limits.headSeconds", \.headSeconds, value: "N", least: 1,
      help:
        "How long the head of a request may take from its first byte on, and a TLS handshake; then it is 408."
    ),
    Setting(
      "limits.progressSeconds", \.progressSeconds, value: "N", least: 1,
      help: "In which time limits.progressBytes of a request's content must come, or of an answer be taken."),
    Setting(
      "limits.progressBytes", \.progressBytes, value: "N", least: 1,
      help: "Who sends or takes less in limits.progressSeconds is let go."),
    Setting(
      "limits.pipelinedRequests", \.pipelinedRequests, value: "N", least: 1,
      help: "Requests sent ahead on one connection that are answered before others have their turn."),
    Setting(
      "limits.bufferedOutputBytes", \.bufferedOutputBytes, value: "N", least: 1,
      help: "Output that may wait for a slow reader before no more is made for it, nor read from it."),
    Setting(
      "requireIfMatch", \.requireIfMatch, value: "none|all|CLASS,CLASS",
      help: "Objects that may only be replaced, changed or deleted with If-Match (or ifVersion)."
    ).live,
    Setting(
      "durability", \.durability, value: "full|within:Nms",
      help: """
        Whether a write is on the disk before it is answered (full), or at most so many milliseconds later (within:100ms, up to \
        60000), where the request does not say it (Prefer: durability=full).
        """
    ).live,
    Setting(
      "limits.querySeconds", \.querySeconds, value: "N",
      help: """
        How long a query may take, for each page of its answer, the time that it waits for a thread included, and how \
        long a write may wait; 0: as long as it takes.
        """),
    Setting(
      "limits.queuedQueries", \.queuedQueries, value: "N", least: 1,
      help: "Long queries that may wait for a thread, shared out among callers; more are 503, or 429."),
    Setting(
      "limits.queuedWrites", \.queuedWrites, value: "N", least: 1,
      help: "Short writes that may wait, and long ones, shared out among callers; more are 503, or 429."),
    Setting(
      "limits.writeSeconds", \.writeSeconds, value: "N",
      help: """
        How long one write may keep the others waiting; then it is 503 and has done nothing. 0: as long as it takes.
        """),
    Setting(
      "limits.objectBytes", \.objectBytes, value: "N",
      help: """
        The most bytes that an object may come to, by whatever way; more is 422. Those that are larger already may \
        change, but not grow. 0: any number.
        """),
    Setting(
      "limits.bulkObjects", \.bulkObjects, value: "N",
      help: "The most objects that one PATCH or DELETE of a collection may touch; more is 422. 0: any number."
    ),
    Setting(
      "reserveMegabytes", \.reserveMegabytes, value: "N",
      help: """
        Room on the disk, at most an eighth of what is free, that is kept so that objects can be deleted when it is \
        full; 0: none.
        """),
    Setting(
      "schema.apply", \.schemaApplication, value: "off|plan|additive",
      help: """
        What is done with schema.json of the data directory at the start, and when it changes: nothing (off), its differences are \
        written to standard error (plan), or what loses nothing is applied, and anything else keeps the server from starting \
        (additive).
        """),
    Setting(
      "log.days", \.logDays, value: "N",
      help: "How long the change log keeps changes; who comes back later begins anew. 0: for ever."),
    Setting(
      "log.megabytes", \.logMegabytes, value: "N",
      help: "About how large the change log may become before old changes leave it; 0: as large as it wants."),
    Setting(
      "dataSource", \.dataSource, value: "NAME",
      help: """
        The name by which clients of App Services call the store, their MongoDB service; without it, those that the folder data_sources \
        has from an imported app, or mongodb-atlas.
        """),
    Setting(
      "apps.default", \.defaultApp, value: "NAME",
      help: """
        The app id by which clients of App Services ask for the default database where there are apps; where there are none, it answers \
        to any.
        """),
    Setting("apps.limit", \.mostApps, value: "N", help: "Apps that there may be; 0: none can be made."),
    Setting(
      "apps.open", \.openApps, value: "N", least: 1,
      help:
        "Apps that stay open though nobody uses them; beyond, those that were used least recently are closed."
    ),
    Setting(
      "apps.stores", \.groupStores, value: "N",
      help:
        "Databases that the groups of classes of all apps may have together: one each, or one for each shard."
    ),
    Setting(
      "apps.idleSeconds", \.appIdleSeconds, value: "N", least: 1,
      help: "After how long an app that nobody uses is closed, until somebody does again."),
    Setting("events.subscribers", \.eventSubscribers, value: "N", help: "Event streams that may be open."),
    Setting(
      "events.subscribersPerAddress", \.eventSubscribersPerAddress, value: "N",
      help: "Event streams from one address (from one /64 network where it is IPv6)."),
    Setting(
      "events.queueBytes", \.eventQueueBytes, value: "N",
      help: "What may wait for a slow subscriber before its stream is ended; it can resume."),
    Setting(
      "events.heartbeatSeconds", \.eventHeartbeatSeconds, value: "N",
      help: "After so much silence an event stream gets a heartbeat."),
    Setting(
      "events.lifetimeSeconds", \.eventLifetimeSeconds, value: "N",
      help: "How old an event stream becomes before its client has to connect again; 0: as old as it wants."),
    Setting(
      "users.anonymous", \.anonymousUsers, value: "N",
      help: "Anonymous users that there may be; for more it is 429. 0: as many as come."),
    Setting(
      "users.newPerAddress", \.newUsersPerAddress, value: "N",
      help: """
        Users that one address may make in an hour (one /64 network where it is IPv6), anonymous ones and accounts. \
        0: as many as it wants.
        """),
    Setting(
      "users.anonymousDays", \.anonymousDays, value: "N",
      help: "After how many days without a visit an anonymous user is deleted; 0: never."),
    Setting(
      "audit", \.audit, value: "off|onDemand",
      help: """
        Whether reads and writes are recorded, as objects of class AuditEvent, for requests that ask for it \
        (Audit-Activity, Audit-Scope) and for what audit.always and audit.events name.
        """),
    Setting(
      "audit.always", \.auditAlways, value: "CLASS:read+write,…",
      help: """
        What is recorded without anybody asking: reads, writes or both of a class, or it does not happen. * stands \
        for all classes that are not named.
        """),
    Setting(
      "audit.events", \.auditEvents, value: "refused,authentication,function,schema,administration",
      help: """
        What is recorded beside reads and writes: refused requests, credentials that are none, calls of functions, \
        changes of the schema, and apps that are made, changed and removed.
        """),
    Setting(
      "audit.details", \.auditDetails, value: "address,requestId",
      help: "What is recorded of the requests themselves, as properties of the events."),
    Setting(
      "audit.days", \.auditDays, value: "N",
      help: "After how many days events move to files in the data directory's folder audit; 0: never."),
    Setting(
      "audit.scopeSeconds", \.auditScopeSeconds, value: "N", least: 1,
      help: "How long a scope lasts at most; one that nobody has ended by then is cancelled."),
    Setting(
      "audit.eventBytes", \.auditEventBytes, value: "N", least: 1,
      help: "The largest content of a request that stores an event of the client's own, in bytes."),
    Setting(
      "audit.eventsPerMinute", \.auditEventsPerMinute, value: "N", least: 1,
      help: """
        Events of their own that each caller may store in a minute; more are 429. Callers who may store none may have \
        as many bytes recorded on demand.
        """),
    Setting(
      "drainSeconds", \.drainSeconds, value: "N",
      help: """
        How long /readyz says no, and everything is still answered, before a server that is told to stop closes \
        its listeners: for balancers that take time to notice.
        """),
    Setting(
      "shutdownSeconds", \.shutdownSeconds, value: "N",
      help: "How long requests may take to finish when the server is told to stop."),
  ]
}
