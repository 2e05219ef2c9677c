using System.Diagnostics.Metrics;
using System.Net;
using CoAP.NET.Blockwise;
using CoAP.NET.Options;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET;

/// <summary>The options of an endpoint.</summary>
/// <remarks>Mutable; the endpoint copies what it needs when it is created.</remarks>
public sealed class CoapEndpointOptions
{
    /// <summary>The limits of the endpoint.</summary>
    public CoapLimits Limits { get; set => field = NotNull(value); } = new();

    /// <summary>The transmission parameters of peers for which <see cref="ParametersOf"/> returns null.</summary>
    /// <remarks>Default: those of RFC 7252 section 4.8.</remarks>
    public CoapTransmissionParameters Parameters { get; set => field = NotNull(value); } = CoapTransmissionParameters.Default;

    /// <summary>Returns the transmission parameters of a peer, or null for <see cref="Parameters"/>.</summary>
    /// <remarks>The endpoint calls it once, when it first meets the peer. It must be quick and must not throw.</remarks>
    public Func<CoapAddress, CoapTransmissionParameters?>? ParametersOf { get; set; }

    /// <summary>
    /// Address prefixes that get responses of any size without proof that the peer receives there, such as those of a private network in
    /// which addresses cannot be forged (see <see cref="CoapLimits.LimitAmplification"/>).
    /// </summary>
    /// <remarks>Default: loopback, <c>127.0.0.0/8</c> and <c>::1/128</c>.</remarks>
    public IList<IPNetwork> TrustedPrefixes { get; } = [IPNetwork.Parse("127.0.0.0/8"), IPNetwork.Parse("::1/128")];

    /// <summary>
    /// How the endpoint handles its requests that a server defers (4.29, RFC 8516), unless <see cref="CoapRequest.Patience"/> overrides it.
    /// </summary>
    /// <remarks>Default: they fail at once.</remarks>
    public CoapPatience Patience { get; set; }

    /// <summary>Q-Block1 and Q-Block2 (RFC 9177): see <c>UseQBlock</c> of the package CoAP.NET.QBlock.</summary>
    internal QBlockFeature? QBlock { get; set; }

    /// <summary>The option factories.</summary>
    /// <remarks>Default: all options that this library knows.</remarks>
    public CoapOptionRegistry Registry { get; set => field = NotNull(value); } = CoapOptionRegistry.Default;

    /// <summary>
    /// The cache for responses to requests of this endpoint (RFC 7252 section 5.6); endpoints with the same clock may share it.
    /// </summary>
    /// <remarks>Default: null, no cache.</remarks>
    public CoapResponseCache? Cache { get; set; }

    /// <summary>Routes that were mapped before the endpoint was created; null, the default, for none.</summary>
    /// <remarks>Only one endpoint can use them: a second one with the same routes throws <see cref="InvalidOperationException"/>.</remarks>
    public CoapRoutes? Routes { get; set; }

    /// <summary>Custom blocks between the stages of the pipeline.</summary>
    public CoapPipelineOptions Pipeline { get; } = new();

    /// <summary>
    /// The number of shards that the peers are distributed over, each with its own lock and, on Linux, its own receive loop.
    /// </summary>
    /// <remarks>Default 1; 1 to 64.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 64.</exception>
    public int Shards
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 64);
            field = value;
        }
    }
    = 1;

    /// <summary>
    /// Whether several processes of this machine and account listen at one UDP port, of <c>coap</c> and <c>coaps</c> (SO_REUSEPORT).
    /// </summary>
    /// <remarks>
    /// All of them must set it. Linux only. The kernel distributes clients by addresses and ports, and changes the distribution when a
    /// process starts or ends. Peers on <c>coap</c> may then reach another process, and DTLS sessions need steering, as in a cluster. Not
    /// for port 0. Default false: a port in use is an error at the start.
    /// </remarks>
    /// <exception cref="PlatformNotSupportedException">Set to true on a system other than Linux.</exception>
    public bool SharePort
    {
        get;
        set => field = !value || OperatingSystem.IsLinux()
            ? value
            : throw new PlatformNotSupportedException(
                "CoapEndpointOptions.SharePort needs Linux, whose kernel distributes clients over the processes at a port. Give each "
                    + "process its own port behind a load balancer, or run one process with several shards.");
    }

    /// <summary>The engine of UDP sockets.</summary>
    /// <remarks>Default: the fastest that works here.</remarks>
    public CoapUdpEngine UdpEngine { get; set; } = CoapUdpEngine.Auto;

    /// <summary>The engine of TCP sockets.</summary>
    /// <remarks>Default: the fastest that works here.</remarks>
    public CoapTcpEngine TcpEngine { get; set; }

    /// <summary>The options of connections of reliable transports (RFC 8323).</summary>
    public CoapStreamOptions Streams { get; set => field = NotNull(value); } = new();

    /// <summary>The options of WebSockets, for <c>coap+ws</c> and <c>coaps+ws</c>.</summary>
    public CoapWebSocketOptions WebSockets { get; set => field = NotNull(value); } = new();

    /// <summary>Certificates and checks of TLS, for <c>coaps+tcp</c>, and for clients of <c>coaps+ws</c>.</summary>
    /// <remarks>
    /// Default: null; a client then uses the trust store of the operating system, and a server cannot listen on <c>coaps+tcp</c>.
    /// </remarks>
    public CoapTlsOptions? Tls { get; set; }

    /// <summary>
    /// Factories of transports for schemes that the library does not implement itself, such as <c>coaps</c> (package CoAP.NET.Dtls).
    /// </summary>
    /// <remarks>Read when the endpoint is created. Default: none.</remarks>
    public IList<ICoapTransportFactory> TransportFactories { get; } = [];

    /// <summary>How long stopping waits for running requests.</summary>
    /// <remarks>Default 5 s; 0 to 24 days.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0 to 24 days.</exception>
    public TimeSpan StopGracePeriod
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromDays(24));
            field = value;
        }
    }
    = TimeSpan.FromSeconds(5);

    /// <summary>Whether the endpoint answers requests 5.03 while it stops.</summary>
    /// <remarks>
    /// With false it sends no response, so clients keep retransmitting until the next process listens at the address or another one serves
    /// it: for deployments that replace a server. Null, the default, means true, and false in a cluster (<c>KeepState</c>). The endpoint
    /// always answers requests over TCP, TLS and WebSockets, because clients do not retransmit them.
    /// </remarks>
    public bool? AnswerWhileStopping { get; set; }

    /// <summary>Resolves a host name to addresses.</summary>
    /// <remarks>
    /// Default: the resolver of the operating system, on a thread of the library. <see cref="CoapNameResolver"/> defines how many names are
    /// looked up at a time. In a browser it is not called: the browser resolves the name when it opens the WebSocket.
    /// </remarks>
    public Func<string, CancellationToken, Task<IPAddress[]>> ResolveHost { get; set => field = NotNull(value); } =
        CoapNameResolver.OfSystemAsync;

    /// <summary>The logger factory.</summary>
    /// <remarks>Default: no log.</remarks>
    public ILoggerFactory LoggerFactory { get; set => field = NotNull(value); } = NullLoggerFactory.Instance;

    /// <summary>
    /// The name of the endpoint in telemetry, the tag <c>coap.endpoint.name</c>, which distinguishes several endpoints in one process.
    /// </summary>
    /// <remarks>Default: null, no such tag; telemetry adds up endpoints with equal tags.</remarks>
    public string? Name { get; set; }

    /// <summary>Further tags for the metrics and traces of the endpoint.</summary>
    /// <remarks>Use few values, because each combination is a separate series. Default: none.</remarks>
    public IList<KeyValuePair<string, object?>> TelemetryTags { get; } = [];

    /// <summary>
    /// Creates the meter of <see cref="CoapTelemetry.MeterName"/>, for example the factory of a dependency injection container.
    /// </summary>
    /// <remarks>Default: null, one meter for the process.</remarks>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>
    /// The number of an option that carries the trace context from client to server (25 bytes: trace id, span id, flags) and so connects
    /// their spans.
    /// </summary>
    /// <remarks>
    /// No standard defines one, so both ends must agree on a number for experiments. With null, the default, the endpoint neither sends nor
    /// reads it. Use <see cref="CoapTelemetry.SuggestedTraceContextOption"/> unless another option has this number.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 65,000 to 65,535 (RFC 7252 section 12.2), or not elective, or part of the
    /// cache key (RFC 7252 section 5.4.6).</exception>
    public int? TraceContextOption
    {
        get;
        set => field = value is null or (>= 65_000 and <= 65_535)
            && (value is null || OptionNumber.IsNoCacheKey(value.Value) && (value & 1) == 0)
            ? value
            : throw new ArgumentOutOfRangeException(
                nameof(value), value,
                "The trace context needs an elective option for experiments that is not part of the cache key. Use an even number from "
                    + "65,000 to 65,535 whose last five bits are 11100, such as 65,308.");
    }

    /// <summary>
    /// Receives the observers of resources of this endpoint, so that they can be restored after a restart or a crash
    /// (<see cref="CoapServer.TryRestoreObserver"/>).
    /// </summary>
    /// <remarks>Default null: observers register again.</remarks>
    public ICoapObserverKeeper? ObserverKeeper { get; set; }

    /// <summary>
    /// The secret that several processes at one address share, or one process with its next run: at least 32 random bytes.
    /// </summary>
    /// <remarks>
    /// The keys of Echo values (RFC 9175), of the tokens of stateless clients (RFC 8974) and of DTLS cookies derive from it, so each
    /// process accepts the values of the others. Store it like a key. Default empty: each endpoint creates random keys. The clocks of the
    /// machines may differ by a minute. The endpoint copies the secret when it is created, and wipes the copy when it has stopped; wipe
    /// your own copy once the endpoint is created. An Echo value of another process counts as one minute older than it seems, because that
    /// clock may be late. Routes that require freshness of a minute or less (<c>RequireFreshness</c>) therefore challenge a client again
    /// after it moved to another process. The same holds for values that are more than a day old. A value may also refer to an event, for
    /// example to a restart before its creation; this is valid only in its own process.
    /// </remarks>
    /// <exception cref="ArgumentException">The secret is shorter than 32 bytes, or all zeros.</exception>
    public ReadOnlyMemory<byte> SharedSecret
    {
        get;
        set => field = value.IsEmpty || (value.Length >= CoapEpochKeys.MinSecretLength && value.Span.IndexOfAnyExcept((byte)0) >= 0)
            ? value
            : throw new ArgumentException(
                $"The shared secret has {value.Length} bytes, or is all zeros; it needs at least {CoapEpochKeys.MinSecretLength} "
                    + "random bytes. Create one with a cryptographic random generator, such as 'openssl rand -base64 32'.",
                nameof(value));
    }

    /// <summary>While <see cref="SharedSecret"/> is being replaced: the previous one, whose values are accepted too.</summary>
    internal PreviousSecret? PreviousSecret { get; set; }

    /// <summary>The clock.</summary>
    /// <remarks>Default: the system clock.</remarks>
    public TimeProvider TimeProvider { get; set => field = NotNull(value); } = TimeProvider.System;

    /// <summary>The source of random numbers.</summary>
    /// <remarks>Default: that of the operating system.</remarks>
    public CoapRandomSource Random { get; set => field = NotNull(value); } = CoapRandomSource.Secure;

    /// <summary>The threads of the library.</summary>
    /// <remarks>Default: its own, shared by all endpoints.</remarks>
    public CoapScheduler Scheduler { get; set => field = NotNull(value); } = CoapScheduler.Default;

    /// <summary>Whether the endpoint works as in a page of a browser. Tests set it elsewhere.</summary>
    internal bool IsInBrowser { get; set; } = OperatingSystem.IsBrowser();

    /// <summary>What extensions opened for the endpoint. It disposes them when it has stopped.</summary>
    internal IList<IAsyncDisposable> Owned { get; } = [];

    /// <summary>Creates options and sets them.</summary>
    /// <param name="configure">Sets them.</param>
    internal static CoapEndpointOptions Of(Action<CoapEndpointOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        CoapEndpointOptions options = new();
        configure(options);
        return options;
    }

    private static T NotNull<T>(T value)
        where T : class
    {
        ArgumentNullException.ThrowIfNull(value);
        return value;
    }
}
