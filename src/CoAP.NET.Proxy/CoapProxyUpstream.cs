using CoAP.NET.Proxy.Upstreams;

namespace CoAP.NET.Proxy;

/// <summary>
/// Sends requests of a proxy on to servers of some schemes: one for the schemes of CoAP is built in, others are added by
/// <see cref="CoapProxy.Use"/>, such as one for <c>http</c> and <c>https</c>. It is disposed with the proxy.
/// </summary>
public abstract class CoapProxyUpstream : IDisposable
{
    /// <summary>The schemes of URIs that it can ask, in lower case, such as <c>http</c>.</summary>
    public abstract IReadOnlyCollection<string> Schemes { get; }

    /// <summary>Whether a scheme is one of a secured transport, which is asked only for clients that came by a secured one.</summary>
    /// <param name="scheme">One of <see cref="Schemes"/>.</param>
    /// <returns>By default whether it begins with <c>coaps</c> or is <c>https</c>.</returns>
    public virtual bool IsSecure(string scheme)
    {
        ArgumentNullException.ThrowIfNull(scheme);
        return scheme.StartsWith("coaps", StringComparison.Ordinal) || scheme == "https";
    }

    /// <summary>
    /// Whether the answer depends on who asks, beside what the request says, as when the upstream tells the server who the client is. Such
    /// an answer is never given to another client. Default false.
    /// </summary>
    public virtual bool DependsOnClient => false;

    /// <summary>How many requests were answered from a cache of its own. Default 0.</summary>
    public virtual long CacheHits => 0;

    /// <summary>
    /// How often what clients observe is asked for again, where the protocol has no observations (RFC 7641 section 5): whenever it has
    /// become stale, but not more often than once in this time, with the entity-tag that came last, once for all clients. Default null:
    /// such clients get a plain answer.
    /// </summary>
    public virtual TimeSpan? PollInterval => null;

    /// <summary>
    /// Whether it takes the body of a request from <see cref="CoapProxyRequest.Body"/> while it comes, where that is large. Default false:
    /// bodies are held as a whole, up to <see cref="CoapProxyOptions.MaxBodySize"/>, and are the payload.
    /// </summary>
    /// <param name="method">The method.</param>
    /// <param name="options">The options that go on.</param>
    /// <returns>Whether it does.</returns>
    public virtual bool StreamsBodyOf(CoapMethod method, CoapOptionCollection options) => false;

    /// <summary>Sends a request on and waits for the answer.</summary>
    /// <param name="request">The request. An upstream of a forward proxy heeds its <see cref="CoapProxyRequest.Targets"/>.</param>
    /// <param name="cancellationToken">Stops waiting: the client has gone, or the server stops.</param>
    /// <returns>
    /// The answer, as CoAP has it: code, payload, and the options that the origin gave. What no proxy may send on is taken out
    /// afterwards, and 5.02 answered where an option forbids it.
    /// </returns>
    /// <exception cref="CoapException">There is no answer. The client gets 5.04 for a time-out and 5.02 otherwise; see
    /// docs/proxies.md.</exception>
    public abstract Task<CoapResult> SendAsync(CoapProxyRequest request, CancellationToken cancellationToken);

    /// <summary>Closes what it has open; called when the proxy is disposed.</summary>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Closes what it has open. May be called more than once.</summary>
    /// <param name="disposing">Whether <see cref="Dispose()"/> was called.</param>
    protected virtual void Dispose(bool disposing)
    {
    }

    /// <summary>Sends a request on whose answer may come as a stream where it is large.</summary>
    /// <param name="request">The request.</param>
    /// <param name="maxHeld">The largest body that is held in memory, in bytes.</param>
    /// <param name="cancellationToken">Stops waiting for the answer; a stream is ended by disposing it.</param>
    internal virtual async ValueTask<UpstreamAnswer> OpenAsync(
        CoapProxyRequest request, int maxHeld, CancellationToken cancellationToken) =>
        new(await SendAsync(request, cancellationToken).ConfigureAwait(false));

    /// <summary>Sends a request on to a server of CoAP without a step of its own between it and the answer; null where there has to be
    /// one, and <see cref="OpenAsync"/> does it.</summary>
    /// <param name="request">The request.</param>
    /// <param name="maxHeld">The largest body that is held in memory, in bytes.</param>
    /// <param name="cancellationToken">Stops waiting for the answer; nobody holds it any more when that is there and no stream.</param>
    internal virtual Task<CoapOpenedResponse>? TryOpen(CoapProxyRequest request, int maxHeld, CancellationToken cancellationToken) => null;

    /// <summary>Observes what is asked for; null where the protocol has no such thing.</summary>
    internal virtual Task<CoapObservation>? ObserveAsync(
        CoapProxyRequest request, CoapObserveOptions observe, CancellationToken cancellationToken) => null;
}
