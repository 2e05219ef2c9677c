namespace CoAP.NET.Proxy.Upstreams;

/// <summary>A client that is made when it is first needed.</summary>
/// <param name="client">The client.</param>
internal sealed class LazyRequester(Lazy<CoapClient> client) : ICoapRequester
{
    /// <inheritdoc/>
    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default) =>
        client.Value.SendAsync(request, cancellationToken);
}
