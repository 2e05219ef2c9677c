using System.Net;
using System.Net.Sockets;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Reporting;

namespace CoAP.NET.Load.Running;

/// <summary>
/// The peers of a run. If this host has an address for each, up to 256 share a client; otherwise each has a client with a port or
/// connection of its own.
/// </summary>
internal sealed class LoadPeers : IAsyncDisposable
{
    /// <summary>The scheme of CoAP over UDP.</summary>
    public const string Udp = "coap";

    /// <summary>The scheme of CoAP over DTLS: each peer has a session, and a port of its own.</summary>
    public const string Dtls = "coaps";

    /// <summary>Maximum number of peers without addresses of their own.</summary>
    public const int MostClients = 10_000;

    /// <summary>Number of messages before a peer moves to another port: there are 64,512 Message IDs for 247 s.</summary>
    public const int MessagesForEachPort = 60_000;

    // The maximum burst for one socket: a receive buffer of the usual largest size (212,992 bytes) holds about 550 small datagrams, and the
    // rest would be lost here, not in the server.
    private const int RequestsForEachSocket = 256;

    private readonly List<ClientPortRotation> _series = [];
    private readonly List<SimulatedPeer> _peers = [];

    private LoadPeers(PlannedRequestFactory shape) => Shape = shape;

    public int Count => _peers.Count;

    public SimulatedPeer this[int index] => _peers[index];

    /// <summary>Number of datagrams lost so far because receive buffers of this program were full.</summary>
    public long OwnDrops => _series.Sum(static series => series.Drops);

    public PlannedRequestFactory Shape { get; }

    /// <summary>Opens the peers of a plan: sockets, but no connections, which the first request opens.</summary>
    /// <exception cref="ArgumentException">This host lacks something in the plan.</exception>
    /// <exception cref="CoapException">The host of the URI has no address, or a socket fails to open.</exception>
    public static Task<LoadPeers> OpenAsync(LoadPlan plan, CancellationToken cancellationToken) =>
        OpenAsync(plan, MessagesForEachPort, cancellationToken);

    public static async Task<LoadPeers> OpenAsync(LoadPlan plan, int messagesForEachPort, CancellationToken cancellationToken)
    {
        if (PlanRules.FaultOf(plan) is { } fault)
        {
            throw new ArgumentException(fault);
        }

        CoapUri uri = CoapUri.Parse(plan.Uri);
        IPAddress[] targets = await ResolveAsync(uri, cancellationToken).ConfigureAwait(false);
        SourceAddresses? sources = uri.Scheme == Dtls ? null : SourceAddresses.Of(plan, targets[0]);
        if (sources is null && plan.Peers > MostClients)
        {
            throw new ArgumentException(
                $"{plan.Peers} peers need addresses of their own (a source address on this host, or a target in 127.0.0.0/8); without them "
                    + $"there can be {MostClients}.");
        }

        LoadPeers peers = new(new PlannedRequestFactory(plan));
        try
        {
            await peers.OpenAsync(plan, uri.Scheme, targets, sources, messagesForEachPort, cancellationToken).ConfigureAwait(false);
            return peers;
        }
        catch
        {
            await peers.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Closes all peers; waiting requests fail.</summary>
    public async ValueTask DisposeAsync() =>
        await Task.WhenAll(_series.Select(static series => series.DisposeAsync().AsTask())).ConfigureAwait(false);

    private async Task OpenAsync(LoadPlan plan, string scheme, IPAddress[] targets, SourceAddresses? sources, int messagesForEachPort,
        CancellationToken cancellationToken)
    {
        // With addresses of their own, peers share sockets.
        int group = sources is null ? 1 : Math.Min(plan.Peers, Math.Max(1, RequestsForEachSocket / plan.Depth));
        CoapEndpointOptions options = LoadEndpointOptionsFactory.Of(plan, targets, group);
        ClientPortRotation series = null!;
        for (int i = 0; i < plan.Peers; i++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (i % group == 0)
            {
                series = new ClientPortRotation(() => LoadClient.OpenAsync(options, scheme, CancellationToken.None),
                    Math.Min(group, plan.Peers - i), options.Parameters.ExchangeLifetime);
                _series.Add(series);
            }

            _peers.Add(new SimulatedPeer(
                i,
                sources?.Of(plan.FirstPeer + i),
                Shape,
                series,
                await series.GetAsync(0).ConfigureAwait(false),
                scheme is Udp or Dtls ? messagesForEachPort : long.MaxValue));
        }
    }

    // Once per run, not per request.
    private static async Task<IPAddress[]> ResolveAsync(CoapUri uri, CancellationToken cancellationToken)
    {
        if (uri.HostAddress is { } literal)
        {
            return [literal];
        }

        try
        {
            IPAddress[] all = await Dns.GetHostAddressesAsync(uri.Host, cancellationToken).ConfigureAwait(false);

            // The address of this host from which peers have addresses of their own.
            IPAddress? loopback =
                all.FirstOrDefault(static address => address.AddressFamily == AddressFamily.InterNetwork && IPAddress.IsLoopback(address));
            return loopback is not null ? [loopback]
                : all.Length > 0 ? all
                : throw new CoapException($"The host name '{uri.Host}' has no address.");
        }
        catch (SocketException exception)
        {
            throw new CoapException($"The host name '{uri.Host}' did not resolve: {exception.Message}", exception);
        }
    }
}
