
namespace CoAP.NET.Proxy;

/// <summary>How a proxy works. Read when the <see cref="CoapProxy"/> is made, but for <see cref="Targets"/>.</summary>
public sealed class CoapProxyOptions
{
    /// <summary>The largest body that can be sent in blocks, in bytes (RFC 7959 section 2.2).</summary>
    internal const int MaxBlockwise = 1 << 30;

    /// <summary>Whom a forward proxy may ask. Default: nobody.</summary>
    public CoapProxyTargets Targets { get; } = new();

    /// <summary>
    /// What the proxy itself is called, beside the addresses that its server listens on: <c>gateway.example.com</c>, with or without a
    /// port. Requests for it are served by the routes of the server. Default: nothing more.
    /// </summary>
    public IList<string> Names { get; } = [];

    /// <summary>
    /// What the proxy calls itself in 5.08 Hop Limit Reached (RFC 8768 section 4): a few characters without a space. Default: null, the
    /// first of <see cref="Names"/>, or the address that was asked.
    /// </summary>
    /// <exception cref="ArgumentException">It is empty, longer than 64 characters, or has a space or a control character.</exception>
    public string? Identifier
    {
        get;
        set => field = value is null || (value.Length is > 0 and <= 64 && !value.Any(static c => char.IsWhiteSpace(c) || char.IsControl(c)))
            ? value
            : throw new ArgumentException("An identifier has 1 to 64 characters and no space (RFC 8768 section 4).", nameof(value));
    }

    /// <summary>The Hop-Limit of requests that have none (RFC 8768 section 3): how many more proxies may send them on. 1 to 255; default
    /// 16.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public int HopLimit
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 255);
            field = value;
        }
    }
    = CoAP.NET.Options.HopLimit.DefaultValue;

    /// <summary>
    /// Whether requests go on with <see cref="HopLimit"/> whatever theirs says, for a proxy at the boundary of a network that tells nobody
    /// outside how far requests may go (RFC 8768 section 3). A loop that leads through this proxy is not found by its hops any more: it
    /// ends after <see cref="Timeout"/>. Default false.
    /// </summary>
    public bool RewritesHopLimit { get; set; }

    /// <summary>How long the answer to a request may take before the client gets 5.04; while a body passes as a stream, how long each side
    /// may do nothing. Above zero; default 60 s.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero.</exception>
    public TimeSpan Timeout
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            field = value;
        }
    }
    = TimeSpan.FromSeconds(60);

    /// <summary>
    /// Whether a client on datagrams must have shown that it receives at its address before the first request of it is sent on: it is
    /// answered 4.01 with an Echo until then (RFC 9175 section 2.3), which clients of this library and libcoap answer by themselves. So
    /// nobody can send requests through the proxy in the name of others. Default true.
    /// </summary>
    public bool RequireVerified { get; set; } = true;

    /// <summary>
    /// Whether clients that came by a plain transport may ask for servers by a secured one (<c>coaps</c>, <c>https</c>). Default false:
    /// they get 4.01, as the proxy would lend them its credentials and send what was to be secret in the clear (RFC 7252 section 11.2).
    /// </summary>
    public bool AllowSecuredTargetsToAnyone { get; set; }

    /// <summary>How many requests may be under way; others get 5.03. 1 or more; default 1,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxRequests { get; set => field = AtLeastOne(value); } = 1000;

    /// <summary>How many of them may be of one source (<see cref="CoapSource"/>), which never gets more than half of what is free either.
    /// 1 or more; default 100.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxRequestsPerSource { get; set => field = AtLeastOne(value); } = 100;

    /// <summary>How many resources of servers may be observed for clients at a time; beyond that clients get a plain answer. 1 or more;
    /// default 1,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxObservations { get; set => field = AtLeastOne(value); } = 1000;

    /// <summary>How many of them clients of one source may have begun, who never get more than half of what is free either. 1 or more;
    /// default 100.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxObservationsPerSource { get; set => field = AtLeastOne(value); } = 100;

    /// <summary>The largest body of a request or answer that is held as a whole before it is sent on, in bytes, where it cannot pass as a
    /// stream; see docs/proxies.md. 1 to 1 GiB, as much as blocks can number (RFC 7959 section 2.2); default 1 MiB. Requests get 4.13,
    /// answers 5.02.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public int MaxBodySize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, MaxBlockwise);
            field = value;
        }
    }
    = 1024 * 1024;

    /// <summary>
    /// The largest body in bytes that is held as a whole although it could pass as a stream: of an answer to a GET or FETCH, so that it can
    /// be kept in the cache and given to several clients, and of a request of POST, PUT, PATCH or iPATCH, so that it can be sent again.
    /// Larger ones pass block by block, as fast as the slower side takes them, with a window in memory. 0 or more; default 64 KiB. A value
    /// of <see cref="MaxBodySize"/> and more turns that off up to there.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 0.</exception>
    public int StreamsAbove
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            field = value;
        }
    }
    = 64 * 1024;

    /// <summary>The largest body that passes as a stream, in bytes. A client that asks for a larger one gets 5.02 in the place of the block
    /// beyond, one that sends a larger one 4.13. 1 or more; default 1 GiB, which is as much as blocks can number (RFC 7959 section
    /// 2.2).</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public long MaxStreamedBodySize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            field = value;
        }
    }
    = MaxBlockwise;

    /// <summary>
    /// How many bytes of answers are kept for later requests of any client (RFC 7252 section 5.6), for forward and reverse proxies each; 0
    /// for no cache. Answers of secured transports and OSCORE messages are never kept. 0 or more; default 8 MiB.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 0.</exception>
    public long CacheBytes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            field = value;
        }
    }
    = 8 * 1024 * 1024;

    /// <summary>
    /// Whether a reverse proxy rewrites the links of servers, such as those of <c>/.well-known/core</c> (RFC 6690), so that clients can
    /// follow them through the proxy: the path that it is mapped at comes in front of what lies below its target, links to other servers
    /// stay, and those to what the proxy does not reach are left out. Documents of more than 64 KiB or 2,000 links are answered 5.02.
    /// Default false: links pass as the server wrote them.
    /// </summary>
    public bool RewritesLinks { get; set; }

    /// <summary>
    /// Another proxy that all requests of a forward proxy are handed to, such as <c>coap://proxy.example.com</c>; it resolves the names of
    /// targets, so only their names are checked here. Default: null, servers are asked directly.
    /// </summary>
    public CoapUri? NextProxy { get; set; }

    /// <summary>Changes how the proxy's own clients work: credentials, transports, log, clock. Their <see
    /// cref="CoapEndpointOptions.ResolveHost"/> is wrapped afterwards. Default: null.</summary>
    public Action<CoapEndpointOptions>? ConfigureClient { get; set; }

    private static int AtLeastOne(int value)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
        return value;
    }
}
