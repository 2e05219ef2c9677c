using CoAP.NET.RequestSteps;
using CoAP.NET.Uris;

namespace CoAP.NET.Endpoints;

/// <summary>The defaults of the requests of a client.</summary>
/// <remarks>
/// A <see cref="CoapClient"/> and the options of a hosted client have the same properties. Set it before the first request: every request
/// reads it without synchronization.
/// </remarks>
internal sealed class CoapRequestDefaults
{
    // The resolved URIs of recent references.
    private RecentTextCache<CoapUri> _resolved = new();

    /// <summary>
    /// The base of relative URIs of requests (RFC 3986 section 5.2): with <c>coap://device.example/api/</c>, <c>state</c> becomes
    /// <c>/api/state</c>, and <c>/state</c> stays unchanged.
    /// </summary>
    /// <remarks>Default null: URIs are absolute.</remarks>
    /// <exception cref="ArgumentException">The URI is relative, or not a CoAP URI.</exception>
    public CoapUri? BaseAddress
    {
        get;
        set
        {
            CoapUri.RequireCoap(value, nameof(value));
            _resolved = new RecentTextCache<CoapUri>();
            field = value;
        }
    }

    /// <summary>The timeout of requests that set none; see <see cref="CoapRequest.Timeout"/>.</summary>
    /// <remarks>Default null: the times of the transmission parameters, 93 s until an acknowledgement.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is neither above zero nor infinite.</exception>
    public TimeSpan? Timeout
    {
        get;
        set
        {
            if (value is { } timeout && timeout != System.Threading.Timeout.InfiniteTimeSpan)
            {
                ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(timeout, TimeSpan.Zero, nameof(value));
            }

            field = value;
        }
    }

    /// <summary>
    /// The forward proxy for the requests (RFC 7252 section 5.7.2), such as <c>coap://gateway.example.com</c>; see
    /// <see cref="CoapClientRequestExtensions.WithProxy(CoapRequest, CoapUri, bool)"/>.
    /// </summary>
    /// <remarks>
    /// A request with its own Proxy-Uri or Proxy-Scheme goes to the host of its URI. Default null: the client sends requests to the servers
    /// directly.
    /// </remarks>
    /// <exception cref="ArgumentException">The URI has a path or a query.</exception>
    public CoapUri? Proxy
    {
        get;
        set
        {
            if (value is not null)
            {
                ProxiedRequestFactory.Check(value);
            }

            field = value;
        }
    }

    /// <summary>The Content-Format of requests without Accept (RFC 7252 section 5.10.4).</summary>
    /// <remarks>Default null: any.</remarks>
    public CoapContentFormat? Accept { get; set; }

    /// <summary>Whether requests are Confirmable.</summary>
    /// <remarks>Default true: all that do not set it to false. False: none, but those that ignore it.</remarks>
    public bool Confirmable { get; set; } = true;

    /// <summary>Resolves a URI against the base address.</summary>
    /// <param name="uri">A URI or IRI, absolute or relative to <see cref="BaseAddress"/>; the empty string for the base address
    /// itself.</param>
    /// <returns>The URI itself if it is absolute.</returns>
    /// <exception cref="ArgumentException">The URI is relative, and there is no base address.</exception>
    public CoapUri Resolve(CoapUri uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        if (uri.IsAbsolute)
        {
            return uri;
        }

        if (BaseAddress is not { } address)
        {
            throw new ArgumentException(
                $"'{uri}' is relative, and the client has no base address. Set BaseAddress, or use an absolute URI.", nameof(uri));
        }

        string text = uri.ToString();
        if (!_resolved.TryFind(text, out CoapUri? absolute))
        {
            absolute = address.Resolve(text);
            if (absolute.ZoneId is null)
            {
                // The interface of a zone may change.
                _resolved.Note(text, absolute);
            }
        }

        return absolute;
    }

    /// <summary>Adds the defaults to a request.</summary>
    /// <param name="request">The request, which stays unchanged.</param>
    /// <returns>A copy with its absolute URI; the request itself if it is complete.</returns>
    /// <exception cref="ArgumentException">The URI is missing, invalid, or relative without a base address; or the request cannot go
    /// through the <see cref="Proxy"/>.</exception>
    public CoapRequest Apply(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        CoapUri named = request.Uri
            ?? throw new ArgumentException(
                "The request has no URI. Create it with one; it may be relative to the base address.", nameof(request));
        CoapClientDefaultKinds ignored = request.IgnoredDefaults;
        bool isProxied = Proxy is not null && ProxiedRequestFactory.TakesProxy(request);
        CoapUri uri = Resolve(named);
        bool lacksTimeout = Timeout is not null && request.Timeout is null && (ignored & CoapClientDefaultKinds.Timeout) == 0;
        bool lacksAccept = Accept is not null && request.Accept is null && (ignored & CoapClientDefaultKinds.Accept) == 0;
        bool losesConfirmable = !Confirmable && request.Confirmable && (ignored & CoapClientDefaultKinds.Confirmable) == 0;
        if (ReferenceEquals(uri, named) && !lacksTimeout && !lacksAccept && !isProxied && !losesConfirmable)
        {
            return request;
        }

        CoapRequest copy = request.WithUri(uri);
        copy = isProxied ? copy.WithProxy(Proxy!) : copy;
        if (losesConfirmable)
        {
            copy.Confirmable = false;
        }

        if (lacksTimeout)
        {
            copy.Timeout = Timeout;
        }

        if (lacksAccept)
        {
            copy.Accept = Accept;
        }

        return copy;
    }
}
