using CoAP.NET.Blockwise;
using CoAP.NET.Observing;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>
/// What can be said of a route and of a group alike. What a route does not say itself it inherits from its group, and that from the group
/// around it.
/// </summary>
/// <typeparam name="TSelf">The class that derives, which every method returns.</typeparam>
public abstract partial class CoapRouteConventions<TSelf>
    where TSelf : CoapRouteConventions<TSelf>
{
    private protected CoapRouteConventions(RouteTable table, RouteSettings settings)
    {
        Table = table;
        Settings = settings;
    }

    internal RouteTable Table { get; }

    internal RouteSettings Settings { get; }

    /// <summary>
    /// Runs handlers on the thread that received the request; that is the default. A handler that blocks it three times in a minute runs on
    /// threads of the library for some minutes.
    /// </summary>
    /// <returns>This object.</returns>
    public TSelf RunInline() => Run(ExecutionOptions.Inline);

    /// <summary>
    /// Runs handlers on a task scheduler. Each request is one task; <c>await</c> in a handler comes back to the scheduler. While a handler
    /// awaits, the scheduler runs other requests, also one that runs one task at a time, such as
    /// <c>ConcurrentExclusiveSchedulerPair.ExclusiveScheduler</c>: for one request at a time until its answer is there use
    /// <see cref="Serial"/>.
    /// </summary>
    /// <param name="scheduler">The task scheduler.</param>
    /// <returns>This object.</returns>
    public TSelf RunOn(TaskScheduler scheduler)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        return Run(new ExecutionOptions(ExecutionKind.Scheduler, Scheduler: scheduler));
    }

    /// <summary>
    /// Runs handlers on threads of the library, for handlers that block. Each route has a queue of its own, also where a group says it; for
    /// one queue of a group see <see cref="Serial"/>.
    /// </summary>
    /// <param name="degreeOfParallelism">How many requests of a route run at a time, each until its answer is there. 1 or more.</param>
    /// <param name="capacity">
    /// How many more may wait; beyond that the answer is 5.03. The fewer places are free, the fewer one source (<see cref="CoapSource"/>)
    /// may have: at most half. 0 or more; default 1,000.
    /// </param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A number is below its range.</exception>
    public TSelf RunQueued(int degreeOfParallelism = 1, int capacity = 1000)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(degreeOfParallelism, 1);
        ArgumentOutOfRangeException.ThrowIfNegative(capacity);
        return Run(new ExecutionOptions(ExecutionKind.Queued, degreeOfParallelism, capacity));
    }

    /// <summary>
    /// Runs one request at a time, until its answer is there, so that a handler needs no lock. On the receiving thread when none is
    /// running. Said of a group, it is one request at a time for all its routes, also those of groups inside of it; a route or a group
    /// inside that says how it runs itself is not among them, and has a queue of its own.
    /// </summary>
    /// <remarks>
    /// A handler must not wait for the answer of another request to the same route or group, which would wait for this one.
    /// </remarks>
    /// <param name="capacity">How many may wait, as for <see cref="RunQueued"/>; beyond that the answer is 5.03. 0 or more; default
    /// 1,000.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is below 0.</exception>
    public TSelf Serial(int capacity = 1000)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(capacity);
        return Run(new ExecutionOptions(ExecutionKind.Serial, 1, capacity));
    }

    /// <summary>
    /// Lets routes answer requests that were sent to a group (RFC 7252 section 8); by default only <c>/.well-known/core</c> does, once the
    /// server has joined groups. Others get no answer at all. A request to a group should be idempotent, and its answer small: every member
    /// answers.
    /// </summary>
    /// <param name="allowed">False to be silent although the group of routes answers.</param>
    /// <returns>This object.</returns>
    public TSelf AllowMulticast(bool allowed = true) => Change(settings => settings.AllowMulticast = allowed);

    /// <summary>
    /// Serves routes over secured transports only, such as <c>coaps+tcp</c>: a request by a plain one is answered 4.01, before the handler,
    /// and the routes are not listed to its peer. What routes do that say neither this nor <see cref="AllowInsecureTransport"/>, as soon as
    /// the endpoint listens on a secured transport (RFC 8323 chapter 9), but for those that name schemes by <see cref="OnlyOn"/>; this
    /// makes them do so in any case.
    /// </summary>
    /// <returns>This object.</returns>
    public TSelf RequireTransportSecurity() => Change(settings => settings.NeedsSecurity = true);

    /// <summary>
    /// Serves routes over plain transports too, although the endpoint listens on a secured one. An endpoint that listens on plain ones only
    /// serves all routes that do not say <see cref="RequireTransportSecurity"/>.
    /// </summary>
    /// <returns>This object.</returns>
    public TSelf AllowInsecureTransport() => Change(settings => settings.NeedsSecurity = false);

    /// <summary>Leaves routes out of <c>/.well-known/core</c>.</summary>
    /// <param name="hidden">False to list them although the group is hidden.</param>
    /// <returns>This object.</returns>
    public TSelf Hidden(bool hidden = true) => Change(settings => settings.Hidden = hidden);

    /// <summary>
    /// Lists routes in <c>/.well-known/core</c> only for some requests, such as those of authorized peers (RFC 6690 section 6).
    /// </summary>
    /// <param name="condition">Looks at the request for the list; called for each.</param>
    /// <returns>This object.</returns>
    public TSelf ListedWhen(Func<CoapRequest, bool> condition)
    {
        ArgumentNullException.ThrowIfNull(condition);
        return Change(settings => settings.ListedWhen = condition);
    }

    /// <summary>
    /// Says which formats answers can have: a request that wants another one by Accept is answered 4.06 before the handler runs (RFC 7252
    /// section 5.10.4). The handler chooses with <see cref="CoapRequest.SelectFormat"/>. Listed as <c>ct</c>. Without it 4.06 is answered
    /// too, but only after the handler has run.
    /// </summary>
    /// <param name="formats">The formats, at least one.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">There is none.</exception>
    public TSelf Produces(params CoapContentFormat[] formats) => Change(settings => settings.Produces = Copy(formats));

    /// <summary>
    /// Sends the answer of the handler whatever format it has, although the Accept option asks for another one. Without it such an answer
    /// becomes 4.06 Not Acceptable, as RFC 7252 section 5.10.4 demands. Meant for clients that send an Accept they do not mean; the formats
    /// of <see cref="Produces"/> are only listed then.
    /// </summary>
    /// <param name="ignored">False to heed Accept although the group ignores it.</param>
    /// <returns>This object.</returns>
    public TSelf IgnoreAccept(bool ignored = true) => Change(settings => settings.IgnoresAccept = ignored);

    /// <summary>
    /// Says that handlers send requests on to another server, as a reverse proxy does. Options that are critical and that this endpoint
    /// does not recognize then come to the handler if they are safe to forward, because only the other server can say what they mean (RFC
    /// 7252 section 5.4.2). Without it such a request is answered 4.02 Bad Option.
    /// </summary>
    /// <param name="forwards">False to answer 4.02 although the group sends on.</param>
    /// <returns>This object.</returns>
    public TSelf Forwards(bool forwards = true) => Change(settings => settings.Forwards = forwards);

    /// <summary>
    /// Says which formats payloads may have: another one, or none, is answered 4.15 (RFC 7252 section 5.9.2.10). Requests without payload
    /// pass.
    /// </summary>
    /// <param name="formats">The formats, at least one.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">There is none.</exception>
    public TSelf Consumes(params CoapContentFormat[] formats) => Change(settings => settings.Consumes = Copy(formats));

    /// <summary>
    /// Sets the largest body of a request; a larger one is answered 4.13 with Size1 as soon as that is known (RFC 7959 section 2.9.3).
    /// Default: <see cref="CoapLimits.MaxBodySize"/>. What is put together must also fit the peer's share,
    /// <see cref="CoapLimits.PeerAssemblyShare"/>.
    /// </summary>
    /// <param name="bytes">1 to 1,073,741,824 bytes, which is as far as block numbers go.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public TSelf MaxBodySize(long bytes)
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

    /// <summary>
    /// Runs the handler once, with the whole body, when its last block is there; nothing happens before (RFC 7959 section 2.5). That is the
    /// default.
    /// </summary>
    /// <returns>This object.</returns>
    public TSelf Atomic() => Change(settings => settings.BodyMode = BodyMode.Whole);

    /// <summary>
    /// Runs the handler for each block of a body, which finds its place by <see cref="CoapRequest.Block1"/>; nothing is kept in between
    /// (RFC 7959 section 2.5, figure 8). Blocks may come in any order and may be missing.
    /// </summary>
    /// <returns>This object.</returns>
    public TSelf HandleBlocks() => Change(settings => settings.BodyMode = BodyMode.Blocks);

    /// <summary>
    /// Runs the handler from the first block of a body on; it reads <see cref="CoapRequest.BodyReader"/> while the blocks come, and its
    /// answer goes out after the last one. A block is acknowledged when what was not read yet fits 8 KiB, so a slow handler slows its peer
    /// down. <see cref="MaxBodySize"/> holds here too.
    /// </summary>
    /// <returns>This object.</returns>
    public TSelf StreamBody() => Change(settings => settings.BodyMode = BodyMode.Streamed);

    /// <summary>
    /// As <see cref="StreamBody()"/>, for requests of some methods and up to a size of their own; those of others are put together within
    /// <see cref="MaxBodySize"/>, and so are all that come by Q-Block1 (RFC 9177), whose blocks come in any order. Such a body has a
    /// <see cref="CoapRequest.Payload"/>. A later <see cref="MaxBodySize"/> holds for all.
    /// </summary>
    /// <param name="maxBodySize">1 to 1,073,741,824 bytes.</param>
    /// <param name="methods">The methods, at least one.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    /// <exception cref="ArgumentException">There is no method.</exception>
    public TSelf StreamBody(long maxBodySize, params CoapMethod[] methods)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxBodySize, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(maxBodySize, 1L << 30);
        ArgumentNullException.ThrowIfNull(methods);
        if (methods.Length == 0)
        {
            throw new ArgumentException("Name at least one method.", nameof(methods));
        }

        StreamedMethods streamed = new(new BodyPolicy(BodyMode.Streamed, maxBodySize), [.. methods]);
        return Change(settings => settings.Streamed = streamed);
    }

    /// <summary>
    /// Serves only requests of which an Echo shows that they were made lately; others are answered 4.01 with an Echo, before the handler,
    /// and come again with it (RFC 9175 section 2.3). For what must not happen late, such as opening a lock. Where nothing protects the
    /// messages (DTLS, OSCORE) it keeps old requests out that were delayed, not forged ones.
    /// </summary>
    /// <param name="maxAge">How old a request may be; above zero.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero.</exception>
    public TSelf RequireFreshness(TimeSpan maxAge)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(maxAge, TimeSpan.Zero);
        return Change(settings => settings.Freshness = maxAge);
    }

    /// <summary>
    /// Asks a limiter of yours before each request: what it holds back is answered 4.29 Too Many Requests with Max-Age, before the handler
    /// (RFC 8516). A <c>System.Threading.RateLimiting</c> limiter fits in one line: its lease, or the RetryAfter of its metadata.
    /// </summary>
    /// <param name="limiter">Gives null to serve the request, or how long its client is to wait. Called on the receiving thread; must be
    /// quick.</param>
    /// <returns>This object.</returns>
    public TSelf LimitRate(Func<CoapRequest, TimeSpan?> limiter)
    {
        ArgumentNullException.ThrowIfNull(limiter);
        return Change(settings => settings.Limiter = limiter);
    }

    /// <summary>
    /// Lets clients observe what GET and FETCH answer (RFC 7641, RFC 8132): they are sent a new state after
    /// <see cref="CoapRouteHandlerBuilder.Notify"/> or <see cref="CoapServer.Notify"/>. Listed as <c>obs</c>.
    /// </summary>
    /// <param name="maxAge">
    /// The Max-Age of what observers are sent when the handler gives none; whole seconds. A client that hears nothing for this long takes
    /// its observation for lost and registers again (RFC 7641 section 3.3.1): with the minute that CoAP assumes where nothing is said,
    /// 50,000 observers of a quiet resource would register 800 times a second. Default 10 minutes, which makes that 80 and bounds how long
    /// a client goes without noticing that the server restarted. Name a longer time for many observers.
    /// </param>
    /// <param name="mode">How notifications are sent.</param>
    /// <param name="refresh">Whether to send a notification shortly before Max-Age ends although nothing changed, so that clients need not
    /// register again (RFC 7641 section 4.3.1).</param>
    /// <param name="probe">
    /// Whether a notification may be Confirmable although <paramref name="mode"/> says otherwise, to learn the round-trip time: the first
    /// one that had to wait because that time is not known, and while they follow one another faster than in 3 s one in a minute. Default
    /// true. With false a peer whose round-trip time nothing else tells gets one in 3 s (RFC 7641 section 4.5.1).
    /// </param>
    /// <param name="confirmableEvery">
    /// How long an observer may be sent nothing that it has to acknowledge; then the next notification is Confirmable, and the state is
    /// sent again when there is none. So one that is gone is noticed, also by a resource that never changes. From 1 s to 24 h, the default
    /// (RFC 7641 section 4.5 allows no more). For one resource of a route with parameters:
    /// <see cref="CoapObserverTerms.ConfirmableEvery"/>.
    /// </param>
    /// <returns>This object.</returns>
    /// <remarks>
    /// The handler runs once for all observers whose requests are equal, of the same options and, for FETCH, payload; peers with different
    /// identities never share. So its answer must not depend on the address that asks. Answers other than 2.xx, and another Content-Format
    /// than before, end an observation (RFC 7641 section 4.2).
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">Max-Age is below 1 s or above 4,294,967,295 s, or the time between Confirmable
    /// notifications below 1 s or above 24 h.</exception>
    public TSelf Observable(TimeSpan? maxAge = null, CoapNotificationMode mode = CoapNotificationMode.Confirmable, bool refresh = false,
        bool probe = true, TimeSpan? confirmableEvery = null)
    {
        TimeSpan age = maxAge ?? TimeSpan.FromMinutes(10);
        ArgumentOutOfRangeException.ThrowIfLessThan(age, TimeSpan.FromSeconds(1), nameof(maxAge));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(age, TimeSpan.FromSeconds((long)uint.MaxValue), nameof(maxAge));
        ObserveSettings observing = new((uint)(age.Ticks / TimeSpan.TicksPerSecond), mode, refresh, probe,
            ObserveSettings.CheckConfirmableEvery(confirmableEvery ?? TimeSpan.FromHours(24), nameof(confirmableEvery)));
        return Change(settings => settings.Observing = observing);
    }

    /// <summary>Attaches an object of your own, for code that looks at routes.</summary>
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

    private TSelf Run(ExecutionOptions execution) => Change(settings => settings.Execution = execution);
}
