using CoAP.NET.Proxy.Upstreams;
using CoAP.NET.Requests;

namespace CoAP.NET.Proxy;

/// <summary>Forwards the requests of a proxy to servers of some schemes.</summary>
/// <remarks>
/// The upstream for the schemes of CoAP is built in. Add others with <c>Use</c>, such as one for <c>http</c> and
/// <c>https</c>. The proxy disposes them.
/// </remarks>
internal abstract class UpstreamClient : IDisposable
{
    /// <summary>The supported URI schemes in lower case, such as <c>http</c>.</summary>
    public abstract IReadOnlyCollection<string> Schemes { get; }

    /// <summary>
    /// Whether a scheme uses a secured transport. The proxy sends to such targets only for clients on a secured transport.
    /// </summary>
    /// <param name="scheme">One of <see cref="Schemes"/>.</param>
    /// <returns>The default implementation returns true for <c>https</c> and for schemes that begin with <c>coaps</c>.</returns>
    public virtual bool IsSecure(string scheme)
    {
        ArgumentNullException.ThrowIfNull(scheme);
        return scheme.StartsWith("coaps", StringComparison.Ordinal) || scheme == "https";
    }

    /// <summary>
    /// Whether the response depends on the client in addition to the request, for example because the upstream names the client to the
    /// server. Default false.
    /// </summary>
    /// <remarks>
    /// The proxy never gives such a response to another client. A client is a channel. The value must not change after the upstream is
    /// mapped.
    /// </remarks>
    public virtual bool DependsOnClient => false;

    /// <summary>The number of requests that the upstream answered from its own cache. Default 0.</summary>
    public virtual long CacheHits => 0;

    /// <summary>
    /// The minimum interval between two polls of an observed resource, for protocols without observations (RFC 7641 section 5). Default
    /// null: clients get a response without an observation.
    /// </summary>
    /// <remarks>
    /// The proxy polls when the known representation has become stale, once for all clients, with the entity-tag of the last response.
    /// </remarks>
    public virtual TimeSpan? PollInterval => null;

    /// <summary>Whether the upstream reads a large request body from <see cref="CoapForwardedRequest.Body"/> while it arrives.</summary>
    /// <remarks>
    /// Default false: the proxy buffers bodies up to <see cref="CoapProxyLimits.MaxBodySize"/> and passes them as the payload.
    /// </remarks>
    public virtual bool StreamsBodyOf(CoapMethod method, CoapOptionCollection options) => false;

    /// <summary>Forwards a request and waits for the response.</summary>
    /// <param name="request">The request. An upstream of a forward proxy must respect its
    /// <see cref="CoapForwardedRequest.Targets"/>.</param>
    /// <param name="cancellationToken">Stops waiting: the client disconnected, or the server stops.</param>
    /// <returns>The response in terms of CoAP: code, payload, and the options of the origin. The proxy then removes options that no proxy
    /// may forward, and answers 5.02 if an option forbids forwarding.</returns>
    /// <exception cref="CoapException">The upstream got no response. The client gets 5.04 for a timeout and 5.02 otherwise; see
    /// docs/proxies.md.</exception>
    public abstract Task<CoapResult> SendAsync(CoapForwardedRequest request, CancellationToken cancellationToken);

    /// <summary>Closes the resources of the upstream. The proxy calls it when it is disposed.</summary>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Closes the resources of the upstream. It may be called more than once.</summary>
    /// <param name="disposing">Whether <see cref="Dispose()"/> was called.</param>
    protected virtual void Dispose(bool disposing)
    {
    }

    /// <summary>Forwards a request; a large response may come as a stream.</summary>
    /// <param name="request">The request.</param>
    /// <param name="maxHeld">The largest body to buffer, in bytes.</param>
    /// <param name="cancellationToken">Stops waiting for the response; dispose a stream to end it.</param>
    internal virtual async ValueTask<UpstreamResponse> OpenAsync(
        CoapForwardedRequest request, int maxHeld, CancellationToken cancellationToken) =>
        new(await SendAsync(request, cancellationToken).ConfigureAwait(false));

    /// <summary>
    /// Forwards a request to a CoAP server and returns its response directly; null if the response needs processing by
    /// <see cref="OpenAsync"/>.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="maxHeld">The largest body to buffer, in bytes.</param>
    /// <param name="cancellationToken">Stops waiting for the response. Unused once the response is complete, unless it is a stream.</param>
    internal virtual Task<CoapOpenedResponse>? TryOpen(
        CoapForwardedRequest request, int maxHeld, CancellationToken cancellationToken) => null;

    /// <summary>Observes the target; null if the protocol has no observations.</summary>
    internal virtual Task<CoapObservation>? ObserveAsync(
        CoapForwardedRequest request, CoapObservationOptions observe, CancellationToken cancellationToken) => null;
}
