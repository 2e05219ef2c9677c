using System.Net;
using CoAP.NET.Options;
using CoAP.NET.Proxy.Admission;
using CoAP.NET.Proxy.Forwarding;
using CoAP.NET.Proxy.Observing;
using CoAP.NET.Proxy.Upstreams;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Proxy;

/// <summary>
/// A proxy for CoAP (RFC 7252 section 5.7): sends requests that a server received on to other servers, by every transport that a client
/// has, and their answers back. As a forward proxy it goes where clients ask it to (<see cref="CoapProxyMapping.MapForwardProxy"/>), as a
/// reverse proxy where it was configured to (<see cref="CoapProxyMapping.MapReverseProxy(ICoapRouteBuilder, string, string, CoapProxy)"/>).
/// Requests and answers are translated, messages are not: each side has its own types, tokens, retransmission and blocks. Thread-safe.
/// Dispose it after the server.
/// </summary>
public sealed class CoapProxy : IAsyncDisposable
{
    private const int MaxMessage = 64 * 1024;
    internal const string NotAsked = "This proxy does not ask that host.";

    private readonly CoapProxyOptions _options;
    private readonly KnownTargets _targets;
    private readonly Dictionary<string, CoapProxyUpstream> _upstreams = new(StringComparer.Ordinal);
    private readonly List<CoapProxyUpstream> _owned = [];
    private readonly ProxyCounts _counts = new();
    private readonly Lazy<CoapClient> _ownClient;
    private readonly NextProxyUpstream? _next;
    private readonly SharedObservations _observations;
    private readonly ILogger _logger;

    /// <summary>Makes a proxy.</summary>
    /// <param name="options">How it works; null for the defaults, which allow no target.</param>
    /// <exception cref="ArgumentException">One of the names is no host.</exception>
    public CoapProxy(CoapProxyOptions? options = null)
    {
        _options = options ?? new CoapProxyOptions();
        _targets = new KnownTargets(_options.Targets);
        Names = new CoapProxyNames(_options.Names);
        CoapEndpointOptions endpoint = MakeEndpointOptions();
        _logger = endpoint.LoggerFactory.CreateLogger("CoAP.NET.Proxy");
        Func<string, CancellationToken, Task<IPAddress[]>> resolve = endpoint.ResolveHost;
        CoapProxyTargets targets = _options.Targets;
        endpoint.ResolveHost = async (name, cancellationToken) =>
            targets.Filter(name, await resolve(name, cancellationToken).ConfigureAwait(false));
        Client = new CoapClient(endpoint);
        _ownClient = new Lazy<CoapClient>(() => new CoapClient(MakeEndpointOptions()));
        _observations = new SharedObservations(
            endpoint.TimeProvider, _options.MaxObservations, _options.MaxObservationsPerSource, _counts);
        Forwarder = new Forwarder(
            _options, _counts, _observations, new StreamedAnswers(_options, _counts, endpoint.Random),
            new PassingBodies(_options, _counts, endpoint.TimeProvider), _logger);
        if (_options.NextProxy is { } next)
        {
            _next = new NextProxyUpstream(new LazyRequester(_ownClient), next);
        }

        Use(new CoapUpstream(Client));
    }

    /// <summary>
    /// The client that asks for what clients of a forward proxy want. It resolves names to addresses that <see
    /// cref="CoapProxyOptions.Targets"/> allows only, so do not use it for anything else; it is
    /// here for its counters and snapshots, and for transports of your own.
    /// </summary>
    public CoapClient Client { get; }

    /// <summary>The client that asks what was configured: the targets of reverse proxies, and the next proxy. Made when it is first
    /// used.</summary>
    public CoapClient ConfiguredClient => _ownClient.Value;

    /// <summary>Whom a forward proxy may ask.</summary>
    public CoapProxyTargets Targets => _options.Targets;

    /// <summary>What the proxy itself is called.</summary>
    public CoapProxyNames Names { get; }

    internal Forwarder Forwarder { get; }

    internal CoapProxyOptions Options => _options;

    /// <summary>Adds what sends requests on to servers of other schemes, or in another way. Of two for a scheme the later one counts.
    /// Call it before the proxy is mapped.</summary>
    /// <param name="upstream">The upstream.</param>
    /// <returns>This object.</returns>
    public CoapProxy Use(CoapProxyUpstream upstream)
    {
        ArgumentNullException.ThrowIfNull(upstream);
        foreach (string scheme in upstream.Schemes)
        {
            _upstreams[scheme] = upstream;
        }

        Own(upstream);
        return this;
    }

    /// <summary>What the proxy has done so far.</summary>
    /// <returns>The numbers at this moment.</returns>
    public CoapProxyCounters GetCounters() => new()
    {
        Requests = _counts[ProxyCount.Requests],
        Forwarded = _counts[ProxyCount.Forwarded],
        Observations = _observations.Count,
        UnderWay = Forwarder.Shares.Count,
        TargetsDenied = _counts[ProxyCount.TargetsDenied],
        UnsafeOptions = _counts[ProxyCount.UnsafeOptions],
        Challenges = _counts[ProxyCount.Challenges],
        Busy = _counts[ProxyCount.Busy],
        HopLimits = _counts[ProxyCount.HopLimits],
        Timeouts = _counts[ProxyCount.Timeouts],
        Failures = _counts[ProxyCount.Failures],
        Shared = _counts[ProxyCount.Shared],
        Streamed = _counts[ProxyCount.Streamed],
        StreamedUploads = _counts[ProxyCount.StreamedUploads],
        UploadsAbandoned = _counts[ProxyCount.UploadsAbandoned],
        UploadsEvicted = _counts[ProxyCount.UploadsEvicted],
        Polls = _counts[ProxyCount.Polls],
        CacheHits = Client.Endpoint.Counters[CoapCounter.CacheHits]
            + (_ownClient.IsValueCreated ? _ownClient.Value.Endpoint.Counters[CoapCounter.CacheHits] : 0)
            + Owned().Sum(static upstream => upstream.CacheHits),
    };

    /// <summary>
    /// Answers a request with Proxy-Uri or Proxy-Scheme (RFC 7252 section 5.10.2) by asking the server that it names, if that is allowed.
    /// What <see cref="CoapProxyMapping.MapForwardProxy"/> maps; call it in a handler of your own to decide more, where nothing can be
    /// observed then.
    /// </summary>
    /// <param name="request">The request as it was received.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answer.</returns>
    /// <exception cref="InvalidOperationException">The request was not received but made to be sent.</exception>
    public ValueTask<CoapResult> ForwardAsync(CoapRequest request, CancellationToken cancellationToken) =>
        ForwardAsync(request, null, cancellationToken);

    internal ValueTask<CoapResult> ForwardAsync(CoapRequest request, CoapRouteHandlerBuilder? route, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        CoapPeer client = request.Peer;
        _counts.Add(ProxyCount.Requests);
        KnownTarget? known = request.Options.TryGetValue(OptionNumber.ProxyUri, out ReadOnlySpan<byte> named)
            ? _targets.TryFind(named)
            : null;
        string target;
        try
        {
            target = known?.Named ?? CoapUri.ComposeRequestUri(request.Message, client.Scheme, client.LocalAddress);
        }
        catch (CoapUriException exception)
        {
            return new ValueTask<CoapResult>(CoapResults.BadRequest(exception.Message));
        }

        string scheme = known?.Scheme ?? SchemeOf(target);
        if (!_upstreams.TryGetValue(scheme, out CoapProxyUpstream? upstream))
        {
            return Refuse(CoapCode.ProxyingNotSupported, "This proxy does not speak the protocol of that URI.");
        }

        if (upstream is not CoapUpstream && !Uri.IsWellFormedUriString(target, UriKind.Absolute))
        {
            return Refuse(CoapCode.BadRequest, "Proxy-Uri is no absolute URI.");
        }

        return Judge(request, client, ref target, scheme, upstream, known) is { } refusal
            ? new ValueTask<CoapResult>(refusal)
            : Forwarder.SendAsync(request, target, _next ?? upstream, Targets, route, cancellationToken);
    }

    /// <summary>What asks a target that was configured.</summary>
    /// <param name="target">The URI.</param>
    /// <exception cref="ArgumentException">No upstream has its scheme.</exception>
    internal CoapProxyUpstream UpstreamOf(string target)
    {
        if (!_upstreams.TryGetValue(SchemeOf(target), out CoapProxyUpstream? upstream))
        {
            throw new ArgumentException(
                $"'{target}' is no URI that this proxy can ask: it knows {string.Join(", ", _upstreams.Keys)}. Add others by Use.",
                nameof(target));
        }

        return upstream is CoapUpstream ? new CoapUpstream(new LazyRequester(_ownClient)) : upstream;
    }

    /// <summary>Disposes an upstream with the proxy.</summary>
    /// <param name="upstream">The upstream.</param>
    internal void Own(CoapProxyUpstream upstream)
    {
        lock (_owned)
        {
            _owned.Add(upstream);
        }
    }

    /// <summary>The scheme of a URI in lower case; empty where it has none.</summary>
    /// <param name="target">The URI.</param>
    internal static string SchemeOf(string target)
    {
        int colon = target.IndexOf(':', StringComparison.Ordinal);
        foreach (string scheme in CoapUpstream.AllSchemes)
        {
            // As it stands in the normal form of nearly all targets.
            if (colon == scheme.Length && target.StartsWith(scheme, StringComparison.Ordinal))
            {
                return scheme;
            }
        }

        return colon > 0 ? target[..colon].ToLowerInvariant() : string.Empty;
    }

    internal void CountRequest() => _counts.Add(ProxyCount.Requests);

    /// <summary>Closes the clients of the proxy; requests under way are answered 5.02.</summary>
    /// <returns>A task that ends when they are closed.</returns>
    public async ValueTask DisposeAsync()
    {
        _observations.Dispose();
        foreach (CoapProxyUpstream upstream in Owned())
        {
            upstream.Dispose();
        }

        await Client.DisposeAsync().ConfigureAwait(false);
        if (_ownClient.IsValueCreated)
        {
            await _ownClient.Value.DisposeAsync().ConfigureAwait(false);
        }
    }

    private CoapProxyUpstream[] Owned()
    {
        lock (_owned)
        {
            return [.. _owned];
        }
    }

    private CoapResult? Judge(
        CoapRequest request, CoapPeer client, ref string target, string scheme, CoapProxyUpstream upstream, KnownTarget? known)
    {
        bool isDenied;
        if (upstream is CoapUpstream)
        {
            known ??= _targets.Find(target);
            isDenied = known.IsDenied;
            if (known.Refused is { } code && !isDenied)
            {
                return CoapResults.Status(code, known.Reason);
            }

            target = known.Normal;
        }
        else
        {
            isDenied = !Targets.MayAllow(new Uri(target).DnsSafeHost);
        }

        if (isDenied)
        {
            _counts.Add(ProxyCount.TargetsDenied);
            ProxyLog.TargetDenied(_logger, client.Address.ToString(), target);
            return CoapResults.Status(CoapCode.ProxyingNotSupported, NotAsked);
        }

        return upstream.IsSecure(scheme) && !_options.AllowSecuredTargetsToAnyone && request.Channel is { Transport.IsSecure: false }
            ? CoapResults.Unauthorized($"Targets of {scheme} are asked only for clients that come by a secured transport.")
            : null;
    }

    private static ValueTask<CoapResult> Refuse(CoapCode code, string text) => new(CoapResults.Status(code, text));

    private CoapEndpointOptions MakeEndpointOptions()
    {
        CoapEndpointOptions endpoint = new();
        endpoint.Limits.MaxResponseBodySize = _options.MaxBodySize;

        // A message that is read from a connection lies in memory as a whole: servers send larger bodies in blocks (RFC 8323 section 6).
        endpoint.Limits.MaxStreamMessageSize = Math.Min(endpoint.Limits.MaxStreamMessageSize, MaxMessage);
        endpoint.Cache = _options.CacheBytes > 0 ? new CoapCache(_options.CacheBytes) : null;
        _options.ConfigureClient?.Invoke(endpoint);
        return endpoint;
    }
}
