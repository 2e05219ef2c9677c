namespace CoAP.NET;

/// <summary>
/// The base class of resources that are implemented as a class: override the methods to support, and map it with <c>Map</c>.
/// </summary>
/// <remarks>Other methods are answered 4.05 Method Not Allowed.</remarks>
public abstract class CoapResource
{
    private static readonly CoapResult s_methodNotAllowed = CoapResults.MethodNotAllowed();

    private readonly Lock _gate = new();

    // Replaced as a whole, because Notify reads it without a lock.
    private volatile CoapRouteHandlerBuilder[] _routes = [];

    /// <summary>Creates a resource with a path.</summary>
    /// <param name="path">The path or template, such as <c>/lock</c>; in a group, after the group's prefix.</param>
    protected CoapResource(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        Path = path;
    }

    /// <summary>Creates a resource whose path is set when it is mapped, for example with <c>MapResource</c>.</summary>
    protected CoapResource()
        : this("/")
    {
    }

    /// <summary>The path or template; <c>/</c> if it is set when the resource is mapped.</summary>
    public string Path { get; }

    /// <summary>The <c>title</c> attribute; null for none.</summary>
    public string? Title { get; init; }

    /// <summary>The <c>rt</c> attribute: the type of the resource (RFC 6690 section 3.1).</summary>
    public IReadOnlyList<string> ResourceTypes { get; init; } = [];

    /// <summary>The <c>if</c> attribute: the interface of the resource (RFC 6690 section 3.2).</summary>
    public IReadOnlyList<string> Interfaces { get; init; } = [];

    /// <summary>The <c>ct</c> attribute: a hint about the formats (RFC 7252 section 7.2.1).</summary>
    public IReadOnlyList<CoapContentFormat> ContentFormats { get; init; } = [];

    /// <summary>The <c>sz</c> attribute: a hint about the size in bytes (RFC 6690 section 3.3); null for none.</summary>
    public long? Size { get; init; }

    /// <summary>
    /// The settings with which clients may observe the resource by GET and FETCH (RFC 7641); null, the default, if they may not.
    /// </summary>
    /// <remarks>See <see cref="CoapRouteConventions{TSelf}.Observable"/>.</remarks>
    public CoapRouteObserveSettings? Observable { get; init; }

    /// <summary>Notifies the observers that the resource may have changed.</summary>
    /// <remarks>
    /// See <see cref="CoapRouteHandlerBuilder.Notify"/>. Does nothing before the resource is mapped, or if it is not observable.
    /// </remarks>
    /// <returns>The current number of observers.</returns>
    public int Notify()
    {
        int observers = 0;
        foreach (CoapRouteHandlerBuilder route in _routes)
        {
            observers += route.NotifyIfObservable();
        }

        return observers;
    }

    internal void AddRoute(CoapRouteHandlerBuilder route)
    {
        // Called for each request of a resource from a factory; usually the route is known and no lock is taken.
        if (Array.IndexOf(_routes, route) >= 0)
        {
            return;
        }

        lock (_gate)
        {
            if (Array.IndexOf(_routes, route) < 0)
            {
                _routes = [.. _routes, route];
            }
        }
    }

    internal ValueTask<CoapResult> InvokeAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        HandleAsync(request, cancellationToken);

    /// <summary>Handles any request by calling the method for its code.</summary>
    /// <remarks>Override it for logic that all methods share, or for codes without a method here.</remarks>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when the response is no longer needed.</param>
    /// <returns>The response.</returns>
    protected virtual ValueTask<CoapResult> HandleAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        return request.Method switch
        {
            CoapMethod.Get => GetAsync(request, cancellationToken),
            CoapMethod.Post => PostAsync(request, cancellationToken),
            CoapMethod.Put => PutAsync(request, cancellationToken),
            CoapMethod.Delete => DeleteAsync(request, cancellationToken),
            CoapMethod.Fetch => FetchAsync(request, cancellationToken),
            CoapMethod.Patch => PatchAsync(request, cancellationToken),
            CoapMethod.IPatch => IPatchAsync(request, cancellationToken),
            _ => new ValueTask<CoapResult>(s_methodNotAllowed),
        };
    }

    /// <summary>Handles GET (RFC 7252 section 5.8.1): returns 2.05 Content or 2.03 Valid.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when the response is no longer needed.</param>
    /// <returns>The response.</returns>
    protected virtual ValueTask<CoapResult> GetAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        new(s_methodNotAllowed);

    /// <summary>Handles POST (RFC 7252 section 5.8.2): returns 2.01 Created, 2.04 Changed or 2.02 Deleted.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when the response is no longer needed.</param>
    /// <returns>The response.</returns>
    protected virtual ValueTask<CoapResult> PostAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        new(s_methodNotAllowed);

    /// <summary>Handles PUT (RFC 7252 section 5.8.3): returns 2.01 Created or 2.04 Changed.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when the response is no longer needed.</param>
    /// <returns>The response.</returns>
    protected virtual ValueTask<CoapResult> PutAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        new(s_methodNotAllowed);

    /// <summary>Handles DELETE (RFC 7252 section 5.8.4): returns 2.02 Deleted.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when the response is no longer needed.</param>
    /// <returns>The response.</returns>
    protected virtual ValueTask<CoapResult> DeleteAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        new(s_methodNotAllowed);

    /// <summary>Handles FETCH (RFC 8132 section 2): returns 2.05 Content or 2.03 Valid.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when the response is no longer needed.</param>
    /// <returns>The response.</returns>
    protected virtual ValueTask<CoapResult> FetchAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        new(s_methodNotAllowed);

    /// <summary>Handles PATCH (RFC 8132 section 3): returns 2.04 Changed or 2.01 Created.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when the response is no longer needed.</param>
    /// <returns>The response.</returns>
    protected virtual ValueTask<CoapResult> PatchAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        new(s_methodNotAllowed);

    /// <summary>Handles iPATCH (RFC 8132 section 3): returns 2.04 Changed or 2.01 Created.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when the response is no longer needed.</param>
    /// <returns>The response.</returns>
    protected virtual ValueTask<CoapResult> IPatchAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        new(s_methodNotAllowed);
}
