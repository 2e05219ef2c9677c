using System.Diagnostics.Metrics;
using System.Net;
using CoAP.NET.Options;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET;

/// <summary>How an endpoint works. Mutable; the endpoint copies what it needs when it is made.</summary>
public sealed class CoapEndpointOptions
{
    /// <summary>The bounds.</summary>
    public CoapLimits Limits { get; set => field = NotNull(value); } = new();

    /// <summary>
    /// The transmission parameters of peers that <see cref="ParametersOf"/> says nothing of. Default: those of RFC 7252 section 4.8.
    /// </summary>
    public CoapTransmissionParameters Parameters { get; set => field = NotNull(value); } = CoapTransmissionParameters.Default;

    /// <summary>
    /// The transmission parameters of one peer, asked once when it is met; null for <see cref="Parameters"/>. Must be quick and must not
    /// throw.
    /// </summary>
    public Func<CoapAddress, CoapTransmissionParameters?>? ParametersOf { get; set; }

    /// <summary>
    /// Addresses that responses of any size go to without proof that the peer receives there, such as those of an own network into which
    /// nobody can forge addresses (see <see cref="CoapLimits.LimitAmplification"/>). Default: loopback, <c>127.0.0.0/8</c> and
    /// <c>::1/128</c>.
    /// </summary>
    public IList<IPNetwork> TrustedPrefixes { get; } = [IPNetwork.Parse("127.0.0.0/8"), IPNetwork.Parse("::1/128")];

    /// <summary>
    /// What happens to requests of ours that a server does not want yet (4.29, RFC 8516), unless <see cref="CoapRequest.Patience"/> says
    /// something else. Default: they fail at once.
    /// </summary>
    public CoapPatience Patience { get; set; }

    /// <summary>
    /// Whether bodies may go by Q-Block1 and Q-Block2 (RFC 9177): those of Non-confirmable requests of ours, and those of peers that ask
    /// for it. Default <see cref="CoapQBlock.Off"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">None of the values.</exception>
    public CoapQBlock QBlock
    {
        get;
        set => field = Enum.IsDefined(value)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "There is no such use of Q-Block.");
    }

    /// <summary>The option factories. Default: all that this library knows.</summary>
    public CoapOptionRegistry Registry { get; set => field = NotNull(value); } = CoapOptionRegistry.Default;

    /// <summary>
    /// Where responses to requests of this endpoint are stored (RFC 7252 section 5.6); endpoints with one clock may share it. Default:
    /// null, no cache.
    /// </summary>
    public CoapCache? Cache { get; set; }

    /// <summary>
    /// Routes that were mapped before the endpoint was made; null, the default, for none. One endpoint takes them: a second one made with
    /// the same routes throws <see cref="InvalidOperationException"/>.
    /// </summary>
    public CoapRoutes? Routes { get; set; }

    /// <summary>Blocks of your own between the stages.</summary>
    public CoapPipelineOptions Pipeline { get; } = new();

    /// <summary>
    /// The number of shards that peers are spread over, each with a lock and, under Linux, a receive loop of its own. Default 1; 1 to 64.
    /// </summary>
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
    /// Whether several processes of this machine and account listen at one UDP port, of <c>coap</c> and <c>coaps</c>, all of which say so
    /// (SO_REUSEPORT). Linux only. The kernel spreads clients over them by addresses and ports; who comes to which changes when one starts
    /// or ends, so peers on <c>coap</c> may then come to another process, and DTLS sessions need steering, as in a cluster. Not for port 0.
    /// Default false: a port that is taken is an error at the start.
    /// </summary>
    /// <exception cref="PlatformNotSupportedException">Set to true on another system than Linux.</exception>
    public bool SharePort
    {
        get;
        set => field = !value || OperatingSystem.IsLinux()
            ? value
            : throw new PlatformNotSupportedException(
                "CoapEndpointOptions.SharePort needs Linux, whose kernel spreads clients over the processes at a port. Give each process "
                    + "a port of its own, with a balancer in front, or run one process with several shards.");
    }

    /// <summary>How UDP sockets are driven. Default: the fastest that works here.</summary>
    public CoapUdpEngine UdpEngine { get; set; } = CoapUdpEngine.Auto;

    /// <summary>How TCP sockets are driven. Default: the fastest that works here.</summary>
    public CoapTcpEngine TcpEngine { get; set; }

    /// <summary>How connections of reliable transports are kept (RFC 8323).</summary>
    public CoapStreamOptions Streams { get; set => field = NotNull(value); } = new();

    /// <summary>How WebSockets are opened, for <c>coap+ws</c> and <c>coaps+ws</c>.</summary>
    public CoapWebSocketOptions WebSockets { get; set => field = NotNull(value); } = new();

    /// <summary>
    /// Certificates and checks of TLS, for <c>coaps+tcp</c>, and as a client for <c>coaps+ws</c>. Default: null; a client then trusts what
    /// the operating system trusts, and a server cannot listen on <c>coaps+tcp</c>.
    /// </summary>
    public CoapTlsOptions? Tls { get; set; }

    /// <summary>
    /// What makes the transports of schemes that the library has none for by itself, such as <c>coaps</c> (package CoAP.NET.Dtls). Read
    /// when the endpoint is made. Default: none.
    /// </summary>
    public IList<ICoapTransportFactory> TransportFactories { get; } = [];

    /// <summary>How long stopping waits for requests that are being served. Default 5 s; 0 to 24 days.</summary>
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

    /// <summary>
    /// Whether requests that come while the endpoint stops are answered 5.03. False leaves them without any answer, so that a client goes
    /// on repeating until the next process listens at the address, or another one serves it: for deployments that replace a server. Null,
    /// the default, is true, and false where the endpoint takes part in a cluster (<c>UseCluster</c>). Requests over TCP, TLS and
    /// WebSockets, which nobody repeats, are always answered.
    /// </summary>
    public bool? AnswerWhileStopping { get; set; }

    /// <summary>Finds the addresses of a host name. Default: the resolver of the operating system.</summary>
    public Func<string, CancellationToken, Task<IPAddress[]>> ResolveHost { get; set => field = NotNull(value); } =
        static (name, cancellationToken) => Dns.GetHostAddressesAsync(name, cancellationToken);

    /// <summary>The log. Default: none.</summary>
    public ILoggerFactory LoggerFactory { get; set => field = NotNull(value); } = NullLoggerFactory.Instance;

    /// <summary>
    /// The name of the endpoint in telemetry, by which several in one process are told apart: the tag <c>coap.endpoint.name</c>. Default:
    /// null, no such tag; endpoints with equal tags are added up.
    /// </summary>
    public string? Name { get; set; }

    /// <summary>
    /// Further tags for the metrics and traces of the endpoint; few values, as each combination is a series of its own. Default: none.
    /// </summary>
    public IList<KeyValuePair<string, object?>> TelemetryTags { get; } = [];

    /// <summary>
    /// Makes the meter of <see cref="CoapTelemetry.MeterName"/>, such as the one of a dependency injection container. Default: null, one
    /// meter for the process.
    /// </summary>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>
    /// The number of an option that carries the trace context from client to server (25 bytes: trace id, span id, flags), so that their
    /// spans belong together. There is none in any standard, so both ends have to agree on one for experiments. Null, the default, sends
    /// and reads none. <see cref="CoapTelemetry.SuggestedTraceContextOption"/> is right unless something else uses it.
    /// </summary>
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
                "The trace context needs an elective option for experiments that is not part of the cache key: even, 65,000 to 65,535, and "
                    + "its last five bits 11100, such as 65,308.");
    }

    /// <summary>
    /// Is told who observes resources of this endpoint, so that observers can be put back after a restart or a crash
    /// (<see cref="CoapServer.TryRestoreObserver"/>). Default null: observers register anew.
    /// </summary>
    public ICoapObserverKeeper? ObserverKeeper { get; set; }

    /// <summary>
    /// What several processes that serve one address share, and one process with itself after a restart: at least 32 random bytes. The keys
    /// of Echo values (RFC 9175), of the tokens of stateless clients (RFC 8974) and of DTLS cookies follow from it, so that each takes what
    /// another one gave out. The clocks of their machines may differ by a minute. Copied when the endpoint is made, and wiped when it has
    /// stopped; wipe what is set here once the endpoint is made. Keep it where keys are kept. Default empty: each endpoint draws keys of
    /// its own.
    /// </summary>
    /// <remarks>
    /// The age of an Echo value of another process counts as a minute more than it seems, as its clock may be late. So routes that require
    /// freshness of a minute or less (<c>RequireFreshness</c>) ask once more after a client has come to another process, as do all for
    /// values of more than a day ago. What a value says about an event, such as that it was made after a restart, holds in its process
    /// only.
    /// </remarks>
    /// <exception cref="ArgumentException">It is shorter than 32 bytes, or all zeros.</exception>
    public ReadOnlyMemory<byte> SharedSecret
    {
        get;
        set => field = value.IsEmpty || (value.Length >= CoapEpochKeys.MinSecretLength && value.Span.IndexOfAnyExcept((byte)0) >= 0)
            ? value
            : throw new ArgumentException(
                $"A shared secret has at least {CoapEpochKeys.MinSecretLength} random bytes; this one has {value.Length}, or is all zeros. "
                    + "Make one by a generator of random numbers for keys, such as 'openssl rand -base64 32'.",
                nameof(value));
    }

    /// <summary>The clock. Default: the system's.</summary>
    public TimeProvider TimeProvider { get; set => field = NotNull(value); } = TimeProvider.System;

    /// <summary>The source of randomness. Default: the operating system's.</summary>
    public CoapRandomSource Random { get; set => field = NotNull(value); } = CoapRandomSource.Secure;

    /// <summary>The threads that the library works with. Default: its own, shared by all endpoints.</summary>
    public CoapScheduler Scheduler { get; set => field = NotNull(value); } = CoapScheduler.Default;

    private static T NotNull<T>(T value)
        where T : class
    {
        ArgumentNullException.ThrowIfNull(value);
        return value;
    }
}
