namespace CoAP.NET.Proxy.Upstreams;

/// <summary>A client that is created on first use.</summary>
internal sealed class LazyClient(Lazy<CoapClient> client) : ICoapClient
{
    /// <inheritdoc/>
    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default) =>
        client.Value.SendAsync(request, cancellationToken);

    /// <inheritdoc/>
    public Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObservationOptions? options = null,
        CancellationToken cancellationToken = default) =>
        client.Value.ObserveAsync(request, options, cancellationToken);
}
