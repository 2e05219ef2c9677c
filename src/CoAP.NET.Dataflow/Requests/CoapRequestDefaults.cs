using CoAP.NET.Messages;

namespace CoAP.NET;

/// <summary>
/// What the requests of a client have in common where they say nothing themselves. A <see cref="CoapClient"/> has
/// <see cref="BaseAddress"/>, <see cref="Timeout"/> and <see cref="Proxy"/> of it; a client of your own can use it as well.
/// Set it before the first request: it is read by every request and not guarded against changes meanwhile.
/// </summary>
public sealed class CoapRequestDefaults
{
    /// <summary>
    /// What URIs of requests are relative to (RFC 3986 section 5.2): with <c>coap://device.example/api/</c> <c>state</c> is
    /// <c>/api/state</c>, and <c>/state</c> stays what it is. Default null: URIs are absolute.
    /// </summary>
    public CoapUri? BaseAddress { get; set; }

    /// <summary>How long requests may take that say nothing of it; see <see cref="CoapRequest.Timeout"/>. Default null: the times of the
    /// transmission parameters, 93 s until somebody acknowledges.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero and not infinite.</exception>
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
    /// The forward proxy that requests go to, which asks their target for the client (RFC 7252 section 5.7.2), such as
    /// <c>coap://gateway.example.com</c>; see <see cref="CoapProxyRequests.WithProxy"/>. A request that names a proxy itself, by Proxy-Uri
    /// or Proxy-Scheme, goes where its URI says. Default null: servers are asked directly.
    /// </summary>
    /// <exception cref="ArgumentException">It has a path or a query.</exception>
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

    /// <summary>The Content-Format that requests want that name none (RFC 7252 section 5.10.4). Default null: any.</summary>
    public CoapContentFormat? Accept { get; set; }

    /// <summary>Whether requests are Confirmable. Default true: those that do not say otherwise. False: none is.</summary>
    public bool Confirmable { get; set; } = true;

    /// <summary>The absolute URI that a text means.</summary>
    /// <param name="uri">A URI or IRI, absolute or relative to <see cref="BaseAddress"/>; the empty string for the base address
    /// itself.</param>
    /// <returns>The text itself where there is no base address; otherwise the URI in its normal form.</returns>
    /// <exception cref="ArgumentException">It is relative, and there is no base address; or it is no URI.</exception>
    public string Resolve(string uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        if (BaseAddress is not { } address)
        {
            return uri.Contains("://", StringComparison.Ordinal)
                ? uri
                : throw new ArgumentException(
                    $"'{uri}' is relative, and the client has no base address. Set BaseAddress, or give the whole URI.", nameof(uri));
        }

        return address.TryResolve(uri, out CoapUri? absolute, out string? error)
            ? absolute.ToString()
            : throw new ArgumentException(error, nameof(uri));
    }

    /// <summary>The request with what it lacks.</summary>
    /// <param name="request">The request. It is not changed.</param>
    /// <returns>A copy with its absolute URI; the request itself when it lacks nothing.</returns>
    /// <exception cref="ArgumentException">Its URI is relative, and there is no base address; or it has none, or one that is no
    /// URI, or one that the <see cref="Proxy"/> cannot be asked for.</exception>
    /// <exception cref="InvalidOperationException">The request was received.</exception>
    public CoapRequest Apply(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        string text = request.UriText
            ?? throw new ArgumentException(
                "The request has no URI. Make it with one; it may be relative to the base address.", nameof(request));
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

    // A proxy may speak more than CoAP.
    private static bool IsOfAnotherScheme(string uri) =>
        uri.IndexOf("://", StringComparison.Ordinal) is var colon and > 0
        && !UriSchemes.TryGetDefaultPort(UriText.ToLowerAscii(uri.AsSpan(0, colon)), out _);
}
