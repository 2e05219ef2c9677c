using CoAP.NET.Blockwise;
using CoAP.NET.Observing;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>The settings that routes and groups have in common.</summary>
/// <remarks>A route inherits the settings that it does not set from its group, and the group from its outer group.</remarks>
/// <typeparam name="TSelf">The derived class, which every method returns.</typeparam>
public abstract class CoapRouteConventions<TSelf>
    where TSelf : CoapRouteConventions<TSelf>
{
    private protected CoapRouteConventions(RouteTable table, RouteSettings settings)
    {
        Table = table;
        Settings = settings;
    }

    internal RouteTable Table { get; }

    internal RouteSettings Settings { get; }

    /// <summary>Sets where handlers run; the default is <see cref="CoapExecution.Inline"/>.</summary>
    /// <param name="execution">The execution, such as <c>CoapExecution.Serial()</c>. Several routes and groups may use the same object;
    /// each has a queue of its own.</param>
    /// <returns>This object.</returns>
    public TSelf WithExecution(CoapExecution execution)
    {
        ArgumentNullException.ThrowIfNull(execution);
        return Change(settings => settings.Execution = execution);
    }

    /// <summary>Runs handlers on threads of the library, for handlers that block: <see cref="CoapExecution.Queued"/>.</summary>
    /// <param name="queued">The number of requests of the route, or of all routes of the group together, that run at a time. 1 or
    /// more.</param>
    /// <param name="capacity">The number of further requests that may wait; beyond that the response is 5.03. 0 or more; default
    /// 1,000.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A number is too small.</exception>
    public TSelf WithExecution(int queued, int capacity = 1000)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(queued, 1);
        return WithExecution(CoapExecution.Queued(queued, capacity));
    }

    /// <summary>Lets routes respond to requests that were sent to a group (RFC 7252 section 8).</summary>
    /// <remarks>
    /// By default only <c>/.well-known/core</c> does, once the server has joined groups; others send no response. A request to a group
    /// should be idempotent, and its response small, because every member responds.
    /// </remarks>
    /// <param name="allowed">False to be silent even if the group of routes responds.</param>
    /// <returns>This object.</returns>
    public TSelf AllowMulticast(bool allowed = true) => Change(settings => settings.AllowMulticast = allowed);

    /// <summary>
    /// Serves routes only over secured transports, such as <c>coaps+tcp</c>: the server answers a request over a plain one with 4.01,
    /// before the handler, and does not list the routes to its peer.
    /// </summary>
    /// <remarks>
    /// This is the default for routes without <see cref="AllowInsecureTransport"/> and <see cref="RequireScheme"/> if the endpoint listens
    /// on a secured transport (RFC 8323 chapter 9). With this setting it always applies.
    /// </remarks>
    /// <returns>This object.</returns>
    public TSelf RequireTransportSecurity() => Change(settings => settings.NeedsSecurity = true);

    /// <summary>Serves routes over plain transports too, although the endpoint listens on a secured one.</summary>
    /// <remarks>An endpoint that listens only on plain ones serves all routes without <see cref="RequireTransportSecurity"/>.</remarks>
    /// <returns>This object.</returns>
    public TSelf AllowInsecureTransport() => Change(settings => settings.NeedsSecurity = false);

    /// <summary>Sets whether the log reports handlers that block the receiving thread (message 1502). Default true.</summary>
    /// <remarks>
    /// Such handlers move to other threads for some minutes, with and without the report. Packages set false for routes whose handlers the
    /// user cannot change.
    /// </remarks>
    /// <param name="logs">False for no report.</param>
    /// <returns>This object.</returns>
    public TSelf WithBlockingLog(bool logs) => Change(settings => settings.LogsBlocking = logs);

    /// <summary>Excludes routes from the list in <c>/.well-known/core</c>.</summary>
    /// <param name="excluded">False to list them even if the group is excluded.</param>
    /// <returns>This object.</returns>
    public TSelf ExcludeFromDiscovery(bool excluded = true) => Change(settings => settings.Hidden = excluded);

    /// <summary>
    /// Lists routes in <c>/.well-known/core</c> only for some requests, such as those of authorized peers (RFC 6690 section 6).
    /// </summary>
    /// <param name="condition">Decides for each request for the list.</param>
    /// <returns>This object.</returns>
    public TSelf WithDiscoveryCondition(Func<CoapRequestContext, bool> condition)
    {
        ArgumentNullException.ThrowIfNull(condition);
        return Change(settings => settings.ListedWhen = condition);
    }

    /// <summary>
    /// Sets the formats of responses: a request whose Accept names another one is answered 4.06 before the handler runs (RFC 7252 section
    /// 5.10.4).
    /// </summary>
    /// <remarks>
    /// The handler chooses with <see cref="CoapRequestContext.SelectFormat"/>. Listed as <c>ct</c>. Without this setting, the response is
    /// also 4.06, but only after the handler has run.
    /// </remarks>
    /// <param name="formats">The formats, at least one.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">There is no format.</exception>
    public TSelf Produces(params CoapContentFormat[] formats) => Change(settings => settings.Produces = Copy(formats));

    /// <summary>Allows responses of any format, although the outer group has <see cref="Produces"/>.</summary>
    /// <returns>This object.</returns>
    public TSelf ProducesAny() => Change(static settings => settings.Produces = []);

    /// <summary>Sends the response of the handler in any format, even if the Accept option asks for another one.</summary>
    /// <remarks>
    /// Without this setting such a response becomes 4.06 Not Acceptable, as RFC 7252 section 5.10.4 requires. For clients that send a wrong
    /// Accept; the formats of <see cref="Produces"/> are then only listed.
    /// </remarks>
    /// <param name="allowed">False to apply Accept even if the group ignores it.</param>
    /// <returns>This object.</returns>
    public TSelf AllowAnyAccept(bool allowed = true) => Change(settings => settings.IgnoresAccept = allowed);

    /// <summary>Declares that handlers forward requests to another server, as a reverse proxy does.</summary>
    /// <remarks>
    /// The handler then also gets unrecognized critical options if they are safe to forward, because only the other server knows their
    /// meaning (RFC 7252 section 5.4.2). Without this setting such a request is answered 4.02 Bad Option.
    /// </remarks>
    /// <param name="allowed">False to answer 4.02 even if the group forwards.</param>
    /// <returns>This object.</returns>
    public TSelf AllowForwarding(bool allowed = true) => Change(settings => settings.Forwards = allowed);

    /// <summary>
    /// Sets the formats of payloads: a request with another one, or with none, is answered 4.15 (RFC 7252 section 5.9.2.10).
    /// </summary>
    /// <remarks>Requests without payload pass.</remarks>
    /// <param name="formats">The formats, at least one.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">There is no format.</exception>
    public TSelf Consumes(params CoapContentFormat[] formats) => Change(settings => settings.Consumes = Copy(formats));

    /// <summary>Accepts payloads of any format, although the outer group has <see cref="Consumes"/>.</summary>
    /// <returns>This object.</returns>
    public TSelf ConsumesAny() => Change(static settings => settings.Consumes = []);

    /// <summary>
    /// Sets the maximum size of a request body; a larger one is answered 4.13 with Size1 as soon as the size is known (RFC 7959 section
    /// 2.9.3).
    /// </summary>
    /// <remarks>
    /// Default: <see cref="CoapBlockwiseLimits.MaxRequestBodySize"/>. An assembled body must also fit the peer's share,
    /// <see cref="CoapBlockwiseLimits.MaxSourceFraction"/>.
    /// </remarks>
    /// <param name="bytes">1 to 1,073,741,824 bytes, the limit of block numbers.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Outside this range.</exception>
    public TSelf WithMaxBodySize(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(bytes, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, 1L << 30);
        return Change(settings =>
        {
            settings.MaxBodySize = bytes;
            if (settings.Streamed is { } streamed)
            {
                settings.Streamed = streamed with { Body = streamed.Body with { MaxSize = bytes } };
            }
        });
    }

    /// <summary>Runs the handler once, with the whole body, after the last block; nothing happens before (RFC 7959 section 2.5).</summary>
    /// <remarks>This is the default.</remarks>
    /// <returns>This object.</returns>
    public TSelf WithWholeBody() => Change(settings => settings.RequestBodyMode = RequestBodyMode.Whole);

    /// <summary>
    /// Runs the handler for each block of a body, with its position in <see cref="CoapRequestContext.Block1"/>; the server stores nothing
    /// between blocks (RFC 7959 section 2.5, figure 8).
    /// </summary>
    /// <remarks>Blocks may arrive in any order and may be missing.</remarks>
    /// <returns>This object.</returns>
    public TSelf WithBodyInBlocks() => Change(settings => settings.RequestBodyMode = RequestBodyMode.Blocks);

    /// <summary>
    /// Runs the handler from the first block of a body: it reads <see cref="CoapRequestContext.BodyReader"/> while the blocks arrive, and
    /// its response is sent after the last one.
    /// </summary>
    /// <remarks>
    /// The server acknowledges a block when the unread data fits into 8 KiB, so a slow handler slows its peer down.
    /// <see cref="WithMaxBodySize"/> applies too.
    /// </remarks>
    /// <returns>This object.</returns>
    public TSelf WithStreamedBody() => Change(settings => settings.RequestBodyMode = RequestBodyMode.Streamed);

    /// <summary>Works like <see cref="WithStreamedBody()"/> with a separate size limit, for all methods of a route or for some.</summary>
    /// <remarks>
    /// Bodies of other methods are assembled within <see cref="WithMaxBodySize"/>, and so are those of Q-Block1 (RFC 9177), whose blocks
    /// arrive in any order; the request then has a <see cref="CoapRequestContext.Payload"/>. A later <see cref="WithMaxBodySize"/> applies
    /// to all.
    /// </remarks>
    /// <param name="maxBodySize">1 to 1,073,741,824 bytes.</param>
    /// <param name="methods">The methods; none for all methods of the route.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Outside this range.</exception>
    public TSelf WithStreamedBody(long maxBodySize, params CoapMethod[] methods)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxBodySize, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(maxBodySize, 1L << 30);
        ArgumentNullException.ThrowIfNull(methods);
        StreamedMethods streamed = new(new RequestBodyPolicy(RequestBodyMode.Streamed, maxBodySize), [.. methods]);
        return Change(settings => settings.Streamed = streamed);
    }

    /// <summary>
    /// Requires an Echo that proves that requests are fresh; others are answered 4.01 with an Echo, before the handler, and the client
    /// repeats them with it (RFC 9175 section 2.3).
    /// </summary>
    /// <remarks>
    /// For actions that must not happen late, such as opening a lock. Without protection of the messages (DTLS, OSCORE) it stops delayed
    /// requests, but not forged ones.
    /// </remarks>
    /// <param name="maxAge">The maximum age of a request; above zero.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The age is not above zero.</exception>
    public TSelf RequireFreshness(TimeSpan maxAge)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(maxAge, TimeSpan.Zero);
        return Change(settings => settings.Freshness = maxAge);
    }

    /// <summary>Serves requests of any age, although the outer group has <see cref="RequireFreshness"/>.</summary>
    /// <returns>This object.</returns>
    public TSelf AllowAnyAge() => Change(static settings => settings.Freshness = Timeout.InfiniteTimeSpan);

    /// <summary>
    /// Calls a rate limiter before each request: the server answers a rejected request with 4.29 Too Many Requests and Max-Age, before the
    /// handler (RFC 8516).
    /// </summary>
    /// <remarks>
    /// A <c>System.Threading.RateLimiting</c> limiter fits in one line: its lease, or the RetryAfter of its metadata. What a limiter keeps
    /// for each source must have a bound, because addresses can be forged over <c>coap</c>; or put <see cref="RequireFreshness"/> on the
    /// route, which is checked first.
    /// </remarks>
    /// <param name="limiter">Returns null to serve the request, or the time for its client to wait. Called on the receiving thread; must be
    /// quick. One that always returns null takes the place of that of an outer group.</param>
    /// <returns>This object.</returns>
    public TSelf RequireRateLimiting(Func<CoapRequestContext, TimeSpan?> limiter)
    {
        ArgumentNullException.ThrowIfNull(limiter);
        return Change(settings => settings.Limiter = limiter);
    }

    /// <summary>
    /// Lets clients observe the responses to GET and FETCH (RFC 7641, RFC 8132): they get a new state after
    /// <see cref="CoapRouteHandlerBuilder.Notify"/> or <see cref="CoapServer.Notify"/>.
    /// </summary>
    /// <remarks>
    /// Listed as <c>obs</c>. The handler runs once for each client, or once for all observers with equal requests (the same options and,
    /// for FETCH, payload) where the state is the same for all: see <see cref="CoapRouteObserveSettings.SameForAll"/>. Responses other than
    /// 2.xx, and a changed Content-Format, end an observation (RFC 7641 section 4.2).
    /// </remarks>
    /// <param name="configure">Changes the settings; null for the defaults.</param>
    /// <returns>This object.</returns>
    public TSelf Observable(Action<CoapRouteObserveSettings>? configure = null)
    {
        CoapRouteObserveSettings settings = new();
        configure?.Invoke(settings);
        return Observe(settings);
    }

    /// <summary>Lets no client observe, although the outer group has <see cref="Observable"/>.</summary>
    /// <remarks>A GET or FETCH with Observe is answered once, as one without it (RFC 7641 section 4.1).</remarks>
    /// <returns>This object.</returns>
    public TSelf NotObservable() => Change(static route => route.Observing = RouteObserveSettings.None);

    internal TSelf Observe(CoapRouteObserveSettings settings)
    {
        RouteObserveSettings observing = RouteObserveSettings.Of(settings);
        return Change(route => route.Observing = observing);
    }

    /// <summary>Attaches a custom object, for code that inspects routes.</summary>
    /// <param name="metadata">The object.</param>
    /// <returns>This object.</returns>
    public TSelf WithMetadata(object metadata)
    {
        ArgumentNullException.ThrowIfNull(metadata);
        return Change(settings => settings.Metadata.Add(metadata));
    }

    private protected TSelf Change(Action<RouteSettings> change)
    {
        Table.Change(Settings, change);
        return (TSelf)this;
    }

    private static CoapContentFormat[] Copy(CoapContentFormat[] formats)
    {
        ArgumentNullException.ThrowIfNull(formats);
        return formats.Length != 0 ? [.. formats] : throw new ArgumentException("Name at least one Content-Format.", nameof(formats));
    }

    /// <summary>Adds a filter around handlers: code that sees a request before its handler and the response after it.</summary>
    /// <remarks>
    /// It passes the request on by calling its second argument, once, or returns a response itself. Filters of a group surround those of
    /// its routes, and earlier filters surround later ones; they add up and do not replace each other. Routes without filters have no
    /// overhead. Filters run where the handler runs, and as often: once for a body of many blocks, for each block on a route with
    /// <c>WithBodyInBlocks</c>, and also when the server runs the handler for observers (<see cref="CoapRequestContext.IsForObservers"/>).
    /// They do not see requests that the server refuses itself because of unknown paths and methods, transports, formats, sizes, freshness
    /// and <see cref="RequireRateLimiting"/>. They run before the server applies request options to the response: 4.06 for a format other
    /// than Accept asks for, 2.03 for a known entity-tag. A filter refines the result by its <c>With...</c> methods, which
    /// return a new one.
    /// </remarks>
    /// <param name="filter">The filter. The server treats its exceptions like those of a handler.</param>
    /// <returns>This object.</returns>
    public TSelf AddFilter(Func<CoapRequestContext, CoapHandler, CancellationToken, ValueTask<CoapResult>> filter)
    {
        ArgumentNullException.ThrowIfNull(filter);
        return Change(settings =>
            settings.Filters.Add((_, next) => (request, cancellationToken) => filter(request, next, cancellationToken)));
    }

    /// <summary>Adds a filter that inspects each route before the route serves requests.</summary>
    /// <remarks>
    /// The returned function replaces the rest of the pipeline. If the factory returns its second argument, the filter has no overhead for
    /// that route. Otherwise like <see cref="AddFilter"/>.
    /// </remarks>
    /// <param name="factory">
    /// Creates the function for a route from a description of the route and the rest of the pipeline to its handler. Called before the
    /// first request to a route, and again after a change of any route or group. Its exceptions become the response to every request of
    /// that route, like those of a handler.
    /// </param>
    /// <returns>This object.</returns>
    public TSelf AddFilterFactory(Func<CoapRouteInfo, CoapHandler, CoapHandler> factory)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return Change(settings => settings.Filters.Add(factory));
    }

    /// <summary>
    /// Adds a filter that runs twice for a request with a block-wise body: at the first block, before the server stores anything of the
    /// body, and for the whole request.
    /// </summary>
    /// <remarks>
    /// For authorization filters, so that strangers cannot fill the memory for bodies (<see cref="CoapBlockwiseLimits.RequestMemory"/>).
    /// Otherwise like <see cref="AddFilterFactory(Func{CoapRouteInfo, CoapHandler, CoapHandler})"/>.
    /// </remarks>
    /// <param name="factory">See <see cref="AddFilterFactory(Func{CoapRouteInfo, CoapHandler, CoapHandler})"/>. Called twice for a route:
    /// for its handler, and for the replacement of the handler at first blocks.</param>
    /// <param name="beforeBody">Whether the filter runs at first blocks too. It must not need the payload then: if
    /// <see cref="CoapRequestContext.IsBodyPending"/> is true, the payload is only one block.</param>
    /// <returns>This object.</returns>
    public TSelf AddFilterFactory(Func<CoapRouteInfo, CoapHandler, CoapHandler> factory, bool beforeBody)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return Change(settings =>
        {
            settings.Filters.Add(factory);
            if (beforeBody)
            {
                settings.EarlyFilters.Add(factory);
            }
        });
    }

    /// <summary>
    /// Adds a payload that describes the error to error responses, such as concise problem details (RFC 9290), including those that the
    /// server creates before any handler.
    /// </summary>
    /// <remarks>
    /// For unknown paths, the settings of the root group apply. Responses that only say that the server is busy, or ask for an Echo, stay
    /// unchanged.
    /// </remarks>
    /// <param name="describe">
    /// Receives the request, the response, and the exception of the handler if there is one; returns bytes and their Content-Format, or
    /// null to leave the response unchanged. Without a Content-Format the bytes are a human-readable text (RFC 7252 section 5.5.2). The
    /// options of the response stay. It runs where the response is created, so it must be quick. If it throws, the exception is counted,
    /// and the response stays unchanged.
    /// </param>
    /// <returns>This object.</returns>
    public TSelf WithErrorContent(Func<CoapRequestContext, CoapResult, Exception?, CoapContent?> describe)
    {
        ArgumentNullException.ThrowIfNull(describe);
        Table.DescribesErrors = true;
        return Change(settings => settings.Describe = describe);
    }

    /// <summary>Serves routes only over transports of these schemes.</summary>
    /// <remarks>
    /// Over others they do not exist: a request is answered 4.04, or 4.05 if the path has another method, and they are not listed.
    /// Resources of two schemes are different resources, whatever their paths (RFC 7252 section 6.2). With schemes set, the routes may use
    /// plain transports too, unless <see cref="RequireTransportSecurity"/> is also set: then both conditions apply.
    /// </remarks>
    /// <param name="schemes">The schemes, such as <c>coap+tcp</c>; at least one.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">There is no scheme, or one is invalid (RFC 3986 section 3.1), or one does not begin with
    /// <c>coap</c>, as all schemes of CoAP do (RFC 7252 section 6, RFC 8323 section 8).</exception>
    public TSelf RequireScheme(params string[] schemes)
    {
        ArgumentNullException.ThrowIfNull(schemes);
        if (schemes.Length == 0)
        {
            throw new ArgumentException("Name at least one scheme, such as coap+tcp.", nameof(schemes));
        }

        foreach (string scheme in schemes)
        {
            if (!Uri.CheckSchemeName(scheme))
            {
                throw new ArgumentException($"'{scheme}' is not a valid scheme. Write it without a colon, such as "
                    + "coaps+tcp.", nameof(schemes));
            }

            if (!scheme.StartsWith("coap", StringComparison.OrdinalIgnoreCase))
            {
                throw new ArgumentException(
                    $"'{scheme}' is not a CoAP scheme, so no transport would serve the route. Use coap, coaps, coap+tcp, coaps+tcp, "
                        + "coap+ws or coaps+ws, or coap+ with another name for a custom transport.",
                    nameof(schemes));
            }
        }

        string[] own = [.. schemes];
        return Change(settings => settings.Schemes = own);
    }

    /// <summary>Serves routes over transports of all schemes, although the outer group has <see cref="RequireScheme"/>.</summary>
    /// <remarks>Where the server listens on a secured scheme, they are then served over secured ones only, unless
    /// <see cref="AllowInsecureTransport"/> is also set.</remarks>
    /// <returns>This object.</returns>
    public TSelf AllowAnyScheme() => Change(static settings => settings.Schemes = []);
}
