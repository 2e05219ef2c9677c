namespace CoAP.NET.Load.Running;

/// <summary>A client with a socket of its own for one or many peers, until each of them has used up its Message IDs there.</summary>
internal sealed class LoadClient
{
    private int _left;

    private LoadClient(CoapClient client) => Client = client;

    public CoapClient Client { get; }

    /// <summary>Opens one; over UDP its socket too, so that opening does not delay the first request.</summary>
    public static async Task<LoadClient> OpenAsync(CoapEndpointOptions options, string scheme, CancellationToken cancellationToken)
    {
        LoadClient endpoint = new(new CoapClient(options));
        try
        {
            if (scheme == LoadPeers.Udp)
            {
                endpoint.Client.Endpoint.AddTransport(new CoapUdpTransport());
                await endpoint.Client.Endpoint.StartAsync(cancellationToken).ConfigureAwait(false);
            }

            return endpoint;
        }
        catch
        {
            await endpoint.Client.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    public int Leave() => Interlocked.Increment(ref _left);
}
