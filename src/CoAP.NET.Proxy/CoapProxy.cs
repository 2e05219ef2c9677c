using System.Net;
using CoAP.NET.Caching;
using CoAP.NET.Diagnostics;
using CoAP.NET.Proxy.Admission;
using CoAP.NET.Proxy.Forwarding;
using CoAP.NET.Proxy.Observing;
using CoAP.NET.Proxy.Upstreams;
using CoAP.NET.Resources;
using CoAP.NET.Settings;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Proxy;

/// <summary>
/// A CoAP proxy (RFC 7252 section 5.7): forwards received requests to other servers, over every transport that its clients have, and
/// returns their responses.
/// </summary>
/// <remarks>
/// As a forward proxy it sends requests to the servers that clients name (<see cref="CoapProxyRouteBuilderExtensions.MapForwardProxy"/>).
/// As a reverse proxy it sends them to configured servers
/// (<see cref="CoapProxyRouteBuilderExtensions.MapReverseProxy(ICoapRouteBuilder, string, string, CoapProxy)"/>). The proxy translates
/// requests and responses, not messages: each side has its own message types, tokens, retransmissions and blocks. Thread-safe. Dispose it
/// after the server.
/// </remarks>
public sealed class CoapProxy : IAsyncDisposable
{
    private const int MaxMessage = 64 * 1024;
    internal const string TargetDeniedText = "This proxy does not forward to that host or port.";

    private readonly CoapProxyOptions _options;
    private readonly ParsedTargetCache _targets;
    private readonly Dictionary<string, UpstreamClient> _upstreams = new(StringComparer.Ordinal);
    private readonly List<UpstreamClient> _owned = [];
    private readonly EventCounter<ProxyCounterKind> _counts;
    private readonly Lazy<CoapClient> _ownClient;
    private readonly NextProxyClient? _next;
    private readonly SharedObservations _observations;
    private readonly ILogger _logger;

    /// <summary>Creates a proxy.</summary>
    /// <param name="options">The options; null for the defaults, which allow no target.</param>
    /// <exception cref="ArgumentException">One of the names is not a valid host.</exception>
    public CoapProxy(CoapProxyOptions? options = null)
    {
        _options = (options ?? new CoapProxyOptions()).MakeReadOnlyFor("a proxy");
        _targets = new ParsedTargetCache(_options.Targets);
        Names = new CoapProxyNames(_options.Names);
        CoapEndpointOptions endpoint = MakeEndpointOptions();
        _counts = new EventCounter<ProxyCounterKind>(ProxyInstruments.Of(endpoint.Telemetry.MeterFactory).Add);
        _logger = endpoint.LoggerFactory.CreateLogger("CoAP.NET.Proxy");
        Func<string, CancellationToken, Task<IPAddress[]>> resolve = endpoint.Transports.ResolveHost;
        CoapProxyTargets targets = _options.Targets;
        endpoint.Transports.ResolveHost = async (name, cancellationToken) =>
            targets.Filter(name, await resolve(name, cancellationToken).ConfigureAwait(false));
        Client = new CoapClient(endpoint);
        _ownClient = new Lazy<CoapClient>(() => new CoapClient(MakeEndpointOptions()));
        _observations = new SharedObservations(
            endpoint.TimeProvider, _options.Limits.MaxObservations, _options.Limits.MaxObservationsPerSource, _counts);
        PendingRequestAdmission admission = new(_options.Limits, _counts);
        Forwarder = new Forwarder(
            _options, _counts, _observations, new StreamedResponses(_options, _counts, endpoint.Pipeline.Random), admission,
            new RequestBodyForwarder(_options, admission, _counts, endpoint.TimeProvider), _logger);
        if (_options.NextProxy is { } next)
        {
            _next = new NextProxyClient(new LazyClient(_ownClient), next);
        }

        Use(new CoapUpstreamClient(Client, [.. endpoint.Transports.Factories]));
    }

    /// <summary>The client that sends the requests of forward-proxy clients.</summary>
    /// <remarks>
    /// It resolves names only to addresses that <see cref="CoapProxyOptions.Targets"/> allows. Use it for its counters and snapshots only,
    /// not for other requests. Schemes of transports of your own come from <see cref="CoapProxyOptions.ConfigureClient"/>.
    /// </remarks>
    internal CoapClient Client { get; }

    /// <summary>
    /// The client that sends requests to configured targets: those of reverse proxies, and the next proxy. Created on first use.
    /// </summary>
    internal CoapClient ConfiguredClient => _ownClient.Value;

    /// <summary>The targets that a forward proxy allows.</summary>
    public CoapProxyTargets Targets => _options.Targets;

    internal CoapProxyNames Names { get; }

    internal Forwarder Forwarder { get; }

    internal CoapProxyOptions Options => _options;

    /// <summary>Adds an upstream, which forwards requests to servers of other schemes or in another way.</summary>
    /// <remarks>Of two upstreams for the same scheme the later one wins. Call it before you map the proxy.</remarks>
    internal CoapProxy Use(UpstreamClient upstream)
    {
        ArgumentNullException.ThrowIfNull(upstream);
        foreach (string scheme in upstream.Schemes)
        {
            _upstreams[scheme] = upstream;
        }

        Own(upstream);
        return this;
    }

    /// <summary>Returns the counters of the proxy since its start.</summary>
    /// <returns>A snapshot of the counters.</returns>
    internal CoapProxyCounters GetCounters() => new()
    {
        Requests = _counts[ProxyCounterKind.Requests],
        Forwarded = _counts[ProxyCounterKind.Forwarded],
        Observations = _observations.Count,
        InProgress = Forwarder.Quota.Count,
        TargetsDenied = _counts[ProxyCounterKind.TargetsDenied],
        UnsafeOptions = _counts[ProxyCounterKind.UnsafeOptions],
        Challenges = _counts[ProxyCounterKind.Challenges],
        Busy = _counts[ProxyCounterKind.Busy],
        HopLimits = _counts[ProxyCounterKind.HopLimits],
        Timeouts = _counts[ProxyCounterKind.Timeouts],
        Failures = _counts[ProxyCounterKind.Failures],
        Shared = _counts[ProxyCounterKind.Shared],
        Streamed = _counts[ProxyCounterKind.Streamed],
        StreamedUploads = _counts[ProxyCounterKind.StreamedUploads],
        UploadsAbandoned = _counts[ProxyCounterKind.UploadsAbandoned],
        UploadsEvicted = _counts[ProxyCounterKind.UploadsEvicted],
        Polls = _counts[ProxyCounterKind.Polls],
        CacheHits = Client.Endpoint.Counters[CoapCounter.CacheHits]
            + (_ownClient.IsValueCreated ? _ownClient.Value.Endpoint.Counters[CoapCounter.CacheHits] : 0)
            + Owned().Sum(static upstream => upstream.CacheHits),
    };

    /// <summary>
    /// Answers a request with Proxy-Uri or Proxy-Scheme (RFC 7252 section 5.10.2): forwards it to the server that it names, if that server
    /// is allowed.
    /// </summary>
    /// <remarks>
    /// <see cref="CoapProxyRouteBuilderExtensions.MapForwardProxy"/> maps this method. Call it in a custom handler to add checks; clients
    /// cannot observe through such a handler.
    /// </remarks>
    /// <exception cref="InvalidOperationException">The request was not received from a client.</exception>
    internal ValueTask<CoapResult> ForwardAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        ForwardAsync(request, null, cancellationToken);

    internal ValueTask<CoapResult> ForwardAsync(CoapRequestContext request, CoapRouteHandlerBuilder? route,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        CoapPeer client = request.Peer;
        _counts.Add(ProxyCounterKind.Requests);
        ParsedTarget? known = request.Options.TryGetValue(OptionNumber.ProxyUri, out ReadOnlySpan<byte> named)
            ? _targets.TryFind(named)
            : null;
        string target;
        try
        {
            target = known?.Named ?? CoapUri.ComposeRequestUri(request.Message, client.Scheme, client.LocalAddress);
        }
        catch (CoapFormatException exception)
        {
            return new ValueTask<CoapResult>(CoapResults.BadRequest(exception.Message));
        }

        string scheme = known?.Scheme ?? SchemeOf(target);
        if (!_upstreams.TryGetValue(scheme, out UpstreamClient? upstream))
        {
            return Refuse(CoapCode.ProxyingNotSupported, "This proxy does not support the scheme of that URI.");
        }

        if (upstream is not CoapUpstreamClient && !Uri.IsWellFormedUriString(target, UriKind.Absolute))
        {
            return Refuse(CoapCode.BadRequest, "Proxy-Uri is not an absolute URI.");
        }

        return Judge(request, client, ref target, scheme, upstream, known) is { } refusal
            ? new ValueTask<CoapResult>(refusal)
            : Forwarder.SendAsync(request, target, _next ?? upstream, Targets, route, cancellationToken);
    }

    /// <summary>Returns the upstream for a configured target.</summary>
    /// <exception cref="ArgumentException">No upstream supports its scheme.</exception>
    internal UpstreamClient UpstreamOf(string target)
    {
        if (!_upstreams.TryGetValue(SchemeOf(target), out UpstreamClient? upstream))
        {
            throw new ArgumentException(
                $"This proxy cannot send requests to '{target}': its upstreams support the schemes {string.Join(", ", _upstreams.Keys)}. "
                    + "Add an upstream with Use.",
                nameof(target));
        }

        return upstream is CoapUpstreamClient coap ? coap.By(new LazyClient(_ownClient)) : upstream;
    }

    /// <summary>Registers an upstream to be disposed with the proxy.</summary>
    internal void Own(UpstreamClient upstream)
    {
        lock (_owned)
        {
            _owned.Add(upstream);
        }
    }

    /// <summary>Returns the scheme of a URI in lower case; empty if it has none.</summary>
    internal static string SchemeOf(string target)
    {
        int colon = target.IndexOf(':', StringComparison.Ordinal);
        foreach (string scheme in CoapUpstreamClient.AllSchemes)
        {
            // Nearly all targets have the scheme in its normal form.
            if (colon == scheme.Length && target.StartsWith(scheme, StringComparison.Ordinal))
            {
                return scheme;
            }
        }

        return colon > 0 ? target[..colon].ToLowerInvariant() : string.Empty;
    }

    internal void CountRequest() => _counts.Add(ProxyCounterKind.Requests);

    /// <summary>Closes the clients of the proxy; pending requests get 5.02.</summary>
    /// <returns>A task that completes when the clients are closed.</returns>
    public async ValueTask DisposeAsync()
    {
        _observations.Dispose();
        foreach (UpstreamClient upstream in Owned())
        {
            upstream.Dispose();
        }

        await Client.DisposeAsync().ConfigureAwait(false);
        if (_ownClient.IsValueCreated)
        {
            await _ownClient.Value.DisposeAsync().ConfigureAwait(false);
        }
    }

    private UpstreamClient[] Owned()
    {
        lock (_owned)
        {
            return [.. _owned];
        }
    }

    private CoapResult? Judge(
        CoapRequestContext request, CoapPeer client, ref string target, string scheme, UpstreamClient upstream, ParsedTarget? known)
    {
        bool isDenied;
        if (upstream is CoapUpstreamClient)
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
            isDenied = !Targets.MayAllow(new Uri(target));
        }

        if (isDenied)
        {
            _counts.Add(ProxyCounterKind.TargetsDenied);
            ProxyLog.TargetDenied(_logger, client.Address.ToString(), target);
            return CoapResults.Status(CoapCode.ProxyingNotSupported, TargetDeniedText);
        }

        return upstream.IsSecure(scheme) && !_options.AllowSecuredTargetsToAnyone && request.Channel is { Transport.IsSecure: false }
            ? CoapResults.Unauthorized($"Targets of {scheme} require a secured transport. Connect with one.")
            : null;
    }

    private static ValueTask<CoapResult> Refuse(CoapCode code, string text) => new(CoapResults.Status(code, text));

    private CoapEndpointOptions MakeEndpointOptions()
    {
        CoapEndpointOptions endpoint = new();
        endpoint.Limits.Blockwise.MaxResponseBodySize = _options.Limits.MaxBodySize;

        // A message from a connection is in memory as a whole: servers send larger bodies in blocks (RFC 8323 section 6).
        endpoint.Limits.Connections.MaxMessageSize = Math.Min(endpoint.Limits.Connections.MaxMessageSize, MaxMessage);
        endpoint.Cache = _options.Limits.CacheBytes > 0 ? new CoapCache(_options.Limits.CacheBytes) : null;
        _options.ConfigureClient?.Invoke(endpoint);
        return endpoint;
    }
}
