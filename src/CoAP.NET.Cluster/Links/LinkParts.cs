using System.Net.Security;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>The parts that all links of a node share.</summary>
/// <param name="Credential">The credential of the node.</param>
/// <param name="CertificateContext">The same credential, prepared for handshakes.</param>
/// <param name="Counts">The counters.</param>
/// <param name="Time">The clock.</param>
/// <param name="Random">The random source of pauses.</param>
/// <param name="Logger">The log of the cluster.</param>
/// <param name="Carrier">Replaces TCP and TLS; null for none.</param>
internal sealed record LinkParts(LinkCredential Credential, SslStreamCertificateContext CertificateContext, LinkCounts Counts,
    TimeProvider Time, CoapRandomSource Random, ILogger Logger, ILinkCarrier? Carrier)
{
    // Enough for several times as many nodes as there are slots, and a low limit for strangers.
    private const int MaxConnections = 1024;
    private const int MaxConnectionsPerAddress = 256;
    private const int MaxHandshakes = 256;
    private const int MaxHandshakesPerAddress = 32;

    // CoapDeviceOptions limits the observations of each device.
    private const int MaxObservations = 10_000_000;

    /// <summary>Creates the server for connections of other nodes.</summary>
    /// <param name="address">The address to listen on.</param>
    /// <param name="tls">The validation of peers.</param>
    /// <param name="routes">The routes for other nodes.</param>
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

    /// <summary>Creates the endpoint that connects to another node.</summary>
    /// <param name="tls">The validation of that node.</param>
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

            // Links have their own pauses.
            ReconnectDelay = TimeSpan.FromMilliseconds(1),
            MaxReconnectDelay = TimeSpan.FromMilliseconds(1),

            // The caller decides.
            RepeatsIdempotentRequests = false,
        },
    };
}
