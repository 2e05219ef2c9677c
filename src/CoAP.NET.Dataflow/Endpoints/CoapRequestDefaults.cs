using CoAP.NET.Messages;

namespace CoAP.NET;

/// <summary>The defaults of the requests of a client.</summary>
/// <remarks>
/// A <see cref="CoapClient"/> uses its <see cref="BaseAddress"/>, <see cref="Timeout"/> and <see cref="Proxy"/>; a custom client can use it
/// too. Set it before the first request: every request reads it without synchronization.
/// </remarks>
public sealed class CoapRequestDefaults
{
    /// <summary>
    /// The base of relative URIs of requests (RFC 3986 section 5.2): with <c>coap://device.example/api/</c>, <c>state</c> becomes
    /// <c>/api/state</c>, and <c>/state</c> stays unchanged.
    /// </summary>
    /// <remarks>Default null: URIs are absolute.</remarks>
    public CoapUri? BaseAddress { get; set; }

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
    /// <see cref="CoapProxyRequests.WithProxy"/>.
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
                CoapProxyRequests.Check(value);
            }

            field = value;
        }
    }

    /// <summary>The Content-Format of requests without Accept (RFC 7252 section 5.10.4).</summary>
    /// <remarks>Default null: any.</remarks>
    public CoapContentFormat? Accept { get; set; }

    /// <summary>Whether requests are Confirmable.</summary>
    /// <remarks>Default true: all that do not set it to false. False: none.</remarks>
    public bool Confirmable { get; set; } = true;

    /// <summary>Resolves a URI against the base address.</summary>
    /// <param name="uri">A URI or IRI, absolute or relative to <see cref="BaseAddress"/>; the empty string for the base address
    /// itself.</param>
    /// <returns>The text itself if there is no base address; otherwise the normalized URI.</returns>
    /// <exception cref="ArgumentException">The URI is invalid, or relative without a base address.</exception>
    public string Resolve(string uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        if (BaseAddress is not { } address)
        {
            return uri.Contains("://", StringComparison.Ordinal)
                ? uri
                : throw new ArgumentException(
                    $"'{uri}' is relative, and the client has no base address. Set BaseAddress, or use an absolute URI.", nameof(uri));
        }

        return address.TryResolve(uri, out CoapUri? absolute, out string? error)
            ? absolute.ToString()
            : throw new ArgumentException(error, nameof(uri));
    }

    /// <summary>Adds the defaults to a request.</summary>
    /// <param name="request">The request, which stays unchanged.</param>
    /// <returns>A copy with its absolute URI; the request itself if it is complete.</returns>
    /// <exception cref="ArgumentException">The URI is missing, invalid, or relative without a base address; or the request cannot go
    /// through the <see cref="Proxy"/>.</exception>
    /// <exception cref="InvalidOperationException">The request was received.</exception>
    public CoapRequest Apply(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        string text = request.UriText
            ?? throw new ArgumentException(
                "The request has no URI. Create it with one; it may be relative to the base address.", nameof(request));
        bool isProxied = Proxy is not null && !CoapProxyRequests.NamesProxy(request);
        string uri = isProxied && IsOfAnotherScheme(text) ? text : Resolve(text);
        bool lacksTimeout = Timeout is not null && request.Timeout is null;
        bool lacksAccept = Accept is not null && request.Accept is null;
        if (ReferenceEquals(uri, text) && !lacksTimeout && !lacksAccept && !isProxied
            && (Confirmable || !request.Confirmable))
        {
            return request;
        }

        CoapRequest copy = request.WithUri(uri);
        copy = isProxied ? copy.WithProxy(Proxy!) : copy;
        copy.Timeout ??= Timeout;
        copy.Confirmable &= Confirmable;
        if (lacksAccept)
        {
            copy.Accept = Accept;
        }

        return copy;
    }

    // A proxy may support other protocols than CoAP.
    private static bool IsOfAnotherScheme(string uri) =>
        uri.IndexOf("://", StringComparison.Ordinal) is var colon and > 0
        && !UriSchemes.TryGetDefaultPort(UriText.ToLowerAscii(uri.AsSpan(0, colon)), out _);
}
