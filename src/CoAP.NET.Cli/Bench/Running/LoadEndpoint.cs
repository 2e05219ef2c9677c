using CoAP.NET.Transports;

namespace CoAP.NET.Cli.Bench;

/// <summary>
/// A client with a socket of its own that one or many peers send from, until each of them has used up its Message IDs there.
/// </summary>
internal sealed class LoadEndpoint
{
    private int _left;

    private LoadEndpoint(CoapClient client) => Client = client;

    public CoapClient Client { get; }

    /// <summary>Opens one; over UDP its socket too, so that the first request is not late for it.</summary>
    /// <param name="options">The options of the client.</param>
    /// <param name="scheme">The scheme of the target.</param>
    /// <param name="cancellationToken">Stops it.</param>
    public static async Task<LoadEndpoint> OpenAsync(CoapEndpointOptions options, string scheme, CancellationToken cancellationToken)
    {
        LoadEndpoint endpoint = new(new CoapClient(options));
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

    /// <summary>One peer sends from elsewhere from now on.</summary>
    /// <returns>How many have left.</returns>
    public int Leave() => Interlocked.Increment(ref _left);
}
