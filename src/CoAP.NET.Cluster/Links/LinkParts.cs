using System.Net.Security;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>What all links of a node share.</summary>
/// <param name="Credential">What the node shows.</param>
/// <param name="CertificateContext">The same, ready for handshakes.</param>
/// <param name="Counts">Counts what happens.</param>
/// <param name="Time">The clock.</param>
/// <param name="Random">For pauses.</param>
/// <param name="Logger">The log of the cluster.</param>
/// <param name="Carrier">What carries links; null for TCP and TLS.</param>
internal sealed record LinkParts(LinkCredential Credential, SslStreamCertificateContext CertificateContext, LinkCounts Counts,
    TimeProvider Time, CoapRandomSource Random, ILogger Logger, ILinkCarrier? Carrier)
{
    // Enough for several times as many nodes as there are slots, and little for anybody else.
    private const int MaxConnections = 1024;
    private const int MaxConnectionsPerAddress = 256;
    private const int MaxHandshakes = 256;
    private const int MaxHandshakesPerAddress = 32;

    // What each device is observed for is bounded by CoapDeviceOptions.
    private const int MaxObservations = 10_000_000;

    /// <summary>Makes the server that takes connections of other nodes.</summary>
    /// <param name="address">Where it listens.</param>
    /// <param name="tls">Whom it lets in.</param>
    /// <param name="routes">What other nodes may ask for.</param>
    public CoapServer MakeServer(string address, CoapTlsOptions tls, CoapRoutes routes)
    {
        CoapEndpointOptions options = OptionsOf(tls);
        options.Routes = routes;
        CoapServer server = new(options);
        if (Carrier is null)
        {
            server.Listen(address);
        }
        else
        {
            server.Endpoint.AddTransport(Carrier.Listen(address, tls, options.Streams));
        }

        return server;
    }

    /// <summary>Makes the endpoint that connects to another node.</summary>
    /// <param name="tls">Whom it takes for that node.</param>
    public CoapEndpoint MakeClient(CoapTlsOptions tls)
    {
        CoapEndpointOptions options = OptionsOf(tls);
        CoapEndpoint endpoint = new(options);
        if (Carrier is not null)
        {
            endpoint.AddTransport(Carrier.Connect(tls, options.Streams));
        }

        return endpoint;
    }

    private CoapEndpointOptions OptionsOf(CoapTlsOptions tls) => new()
    {
        Tls = tls,
        Scheduler = Carrier?.Scheduler ?? CoapScheduler.Default,
        TimeProvider = Time,
        Random = Random,
        StopGracePeriod = TimeSpan.FromSeconds(2),
        Limits = new CoapLimits
        {
            MaxConnections = MaxConnections,
            MaxConnectionsPerAddress = MaxConnectionsPerAddress,
            MaxHandshakes = MaxHandshakes,
            MaxHandshakesPerAddress = MaxHandshakesPerAddress,
            MaxObservations = MaxObservations,
            MaxObservers = MaxObservations,
            MaxObserversPerPeer = 1_000_000,
        },
        Streams = new CoapStreamOptions
        {
            ConnectTimeout = TimeSpan.FromSeconds(5),
            HandshakeTimeout = TimeSpan.FromSeconds(5),
            CsmTimeout = TimeSpan.FromSeconds(5),
            SendTimeout = TimeSpan.FromSeconds(10),
            KeepAliveInterval = TimeSpan.FromSeconds(5),
            PongTimeout = TimeSpan.FromSeconds(5),
            IdleTimeout = Timeout.InfiniteTimeSpan,
            ReleaseTimeout = TimeSpan.FromSeconds(1),

            // Links have pauses of their own.
            ReconnectDelay = TimeSpan.FromMilliseconds(1),
            MaxReconnectDelay = TimeSpan.FromMilliseconds(1),

            // Who asked decides.
            RepeatsIdempotentRequests = false,
        },
    };
}
