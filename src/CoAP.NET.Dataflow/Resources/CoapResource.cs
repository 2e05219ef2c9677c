using System.Collections.Immutable;

namespace CoAP.NET;

/// <summary>
/// A resource as a class: override what it answers to. Map it with <c>Map</c>. Methods that are not overridden are answered 4.05 Method Not
/// Allowed.
/// </summary>
public abstract class CoapResource
{
    private static readonly CoapResult s_methodNotAllowed = CoapResults.MethodNotAllowed();

    private ImmutableArray<CoapRouteHandlerBuilder> _routes = [];

    /// <summary>Makes a resource.</summary>
    /// <param name="path">The path or template, such as <c>/lock</c>; in a group it follows the group's prefix.</param>
    protected CoapResource(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        Path = path;
    }

    /// <summary>Makes a resource whose path is given where it is mapped, as by <c>MapResource</c>.</summary>
    protected CoapResource()
        : this("/")
    {
    }

    /// <summary>The path or template; <c>/</c> when it is given where the resource is mapped.</summary>
    public string Path { get; }

    /// <summary>The <c>title</c> attribute; null for none.</summary>
    public string? Title { get; init; }

    /// <summary>The <c>rt</c> attribute: what the resource is (RFC 6690 section 3.1).</summary>
    public IReadOnlyList<string> ResourceTypes { get; init; } = [];

    /// <summary>The <c>if</c> attribute: how to talk to the resource (RFC 6690 section 3.2).</summary>
    public IReadOnlyList<string> Interfaces { get; init; } = [];

    /// <summary>The <c>ct</c> attribute: a hint about the formats (RFC 7252 section 7.2.1).</summary>
    public IReadOnlyList<CoapContentFormat> ContentFormats { get; init; } = [];

    /// <summary>The <c>sz</c> attribute: a hint about the size in bytes (RFC 6690 section 3.3); null for none.</summary>
    public long? Size { get; init; }

    /// <summary>Whether clients may observe what GET and FETCH answer (RFC 7641). Default false.</summary>
    public bool Observable { get; init; }

    /// <summary>
    /// The Max-Age of what observers are sent when the answer gives none; null for 10 minutes. See
    /// <see cref="CoapRouteConventions{TSelf}.Observable"/>.
    /// </summary>
    public TimeSpan? ObservableMaxAge { get; init; }

    /// <summary>How observers are sent notifications. Default: Confirmable.</summary>
    public CoapNotificationMode NotificationMode { get; init; }

    /// <summary>
    /// Whether one of the Non-confirmable notifications may be Confirmable to learn the round-trip time. Default true. See
    /// <see cref="CoapRouteConventions{TSelf}.Observable"/>.
    /// </summary>
    public bool NotificationProbe { get; init; } = true;

    /// <summary>
    /// How long an observer may be sent nothing that it has to acknowledge, from 1 s to 24 h; null for 24 h. See
    /// <see cref="CoapRouteConventions{TSelf}.Observable"/>.
    /// </summary>
    public TimeSpan? ConfirmableNotificationEvery { get; init; }

    /// <summary>
    /// Says that the resource may have changed, so that its observers are sent the new state. See
    /// <see cref="CoapRouteHandlerBuilder.Notify"/>. Does nothing before the resource is mapped, and when it is not observable.
    /// </summary>
    /// <returns>How many observers it has at the moment.</returns>
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
        // One instance may serve many requests of a route.
        if (!_routes.Contains(route))
        {
            ImmutableInterlocked.Update(ref _routes, static (routes, added) => routes.Contains(added) ? routes : routes.Add(added), route);
        }
    }

    internal ValueTask<CoapResult> InvokeAsync(CoapRequest request, CancellationToken cancellationToken) =>
        HandleAsync(request, cancellationToken);

    /// <summary>
    /// Answers any request, by calling the method for its code. Override it for what all methods share, or for codes without a method here.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the answer any more.</param>
    /// <returns>The answer.</returns>
    protected virtual ValueTask<CoapResult> HandleAsync(CoapRequest request, CancellationToken cancellationToken)
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

    /// <summary>Answers GET (RFC 7252 section 5.8.1): 2.05 Content or 2.03 Valid.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the answer any more.</param>
    /// <returns>The answer.</returns>
    protected virtual ValueTask<CoapResult> GetAsync(CoapRequest request, CancellationToken cancellationToken) => new(s_methodNotAllowed);

    /// <summary>Answers POST (RFC 7252 section 5.8.2): 2.01 Created, 2.04 Changed or 2.02 Deleted.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the answer any more.</param>
    /// <returns>The answer.</returns>
    protected virtual ValueTask<CoapResult> PostAsync(CoapRequest request, CancellationToken cancellationToken) => new(s_methodNotAllowed);

    /// <summary>Answers PUT (RFC 7252 section 5.8.3): 2.01 Created or 2.04 Changed.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the answer any more.</param>
    /// <returns>The answer.</returns>
    protected virtual ValueTask<CoapResult> PutAsync(CoapRequest request, CancellationToken cancellationToken) => new(s_methodNotAllowed);

    /// <summary>Answers DELETE (RFC 7252 section 5.8.4): 2.02 Deleted.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the answer any more.</param>
    /// <returns>The answer.</returns>
    protected virtual ValueTask<CoapResult> DeleteAsync(CoapRequest request, CancellationToken cancellationToken) =>
        new(s_methodNotAllowed);

    /// <summary>Answers FETCH (RFC 8132 section 2): 2.05 Content or 2.03 Valid.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the answer any more.</param>
    /// <returns>The answer.</returns>
    protected virtual ValueTask<CoapResult> FetchAsync(CoapRequest request, CancellationToken cancellationToken) => new(s_methodNotAllowed);

    /// <summary>Answers PATCH (RFC 8132 section 3): 2.04 Changed or 2.01 Created.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the answer any more.</param>
    /// <returns>The answer.</returns>
    protected virtual ValueTask<CoapResult> PatchAsync(CoapRequest request, CancellationToken cancellationToken) => new(s_methodNotAllowed);

    /// <summary>Answers iPATCH (RFC 8132 section 3): 2.04 Changed or 2.01 Created.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the answer any more.</param>
    /// <returns>The answer.</returns>
    protected virtual ValueTask<CoapResult> IPatchAsync(CoapRequest request, CancellationToken cancellationToken) =>
        new(s_methodNotAllowed);
}
