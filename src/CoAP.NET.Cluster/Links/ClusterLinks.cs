using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// Links between the nodes of a cluster: CoAP over TLS (RFC 8323), in which both ends prove that they know the secret of the cluster. A
/// node listens on its own endpoint, and keeps a connection to each other node of the map for sending; it receives over their connections.
/// Without <see cref="CoapClusterOptions.LinkAddress"/> there are no links: calls succeed, but reach no node. Thread-safe.
/// </summary>
internal sealed class ClusterLinks : INodeLinks, IAsyncDisposable
{
    // There are 256 slots; further nodes would own none.
    private const int MaxLinks = CoapSlot.Count;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    private readonly string _listen;
    private readonly string _address;
    private readonly LinkCounts _counts = new();
    private readonly ILogger _logger;
    private readonly LinkParts? _parts;
    private readonly OccasionalLog _stranger;
    private readonly CoapRoutes _routes = new();
    private readonly ConditionalWeakTable<CoapTlsIdentity, Member> _members = [];
    private readonly Lock _gate = new();
    private readonly Dictionary<CoapNodeId, ClusterLink> _links = [];
    private readonly HashSet<Task> _closing = [];
    private IClusterLinkListener[] _listeners = [];
    private CoapServer? _server;
    private bool _isDisposed;

    /// <summary>Creates the links of a node. They are inactive before <see cref="StartAsync"/>.</summary>
    /// <param name="self">The node.</param>
    /// <param name="options">Its options; the secret is not stored.</param>
    /// <param name="time">The clock.</param>
    /// <param name="random">The random source of pauses and messages.</param>
    /// <param name="logger">The log of the cluster.</param>
    public ClusterLinks(CoapNodeId self, CoapClusterOptions options, TimeProvider time, CoapRandomSource random, ILogger logger)
    {
        Self = self;
        _logger = logger;
        (_listen, _address) = (options.LinkAddress, options.Address);
        _stranger = new OccasionalLog(time);
        if (IsOn)
        {
            LinkCredential credential = new(options.Secret.Span, self);
            _parts = new LinkParts(credential, SslStreamCertificateContext.Create(credential.Certificate, null, offline: true), _counts,
                time, random, logger, options.LinkCarrier);
        }
    }

    /// <summary>This node.</summary>
    public CoapNodeId Self { get; }

    /// <summary>Whether there are links.</summary>
    public bool IsOn => _listen.Length > 0;

    /// <summary>The address for other nodes; before the start the one in the options.</summary>
    public string Address { get; private set; } = "";

    /// <summary>The bound address of this node; null before the start, and without links.</summary>
    public string? BoundAddress => _server is { LocalEndpoints: [var bound, ..] } ? bound : null;

    /// <summary>
    /// The routes for requests of other nodes, mapped before the start. <see cref="NodeOf(CoapRequest)"/> identifies the sender.
    /// </summary>
    public CoapRouteGroup Routes => _routes.Routes;

    /// <summary>The nodes with a link.</summary>
    public IReadOnlyList<CoapNodeId> Up
    {
        get
        {
            lock (_gate)
            {
                return [.. _links.Values.Where(static link => link.Peer is not null).Select(static link => link.Node.Id)];
            }
        }
    }

    /// <summary>The counters.</summary>
    public ClusterLinkCounters Counters => _counts.Read();

    /// <summary>Adds a listener for starting and ending links; before the start.</summary>
    public void Listen(IClusterLinkListener listener)
    {
        lock (_gate)
        {
            _listeners = [.. _listeners, listener];
        }
    }

    /// <summary>Maps a handler for posts of other nodes to a path; before the start.</summary>
    /// <param name="path">The path, the same on all nodes.</param>
    /// <param name="handler">The handler.</param>
    public void MapBatch(string path, ClusterItemHandler handler) =>
        Routes.MapPost(path, request => Take(path, handler, request)).RunInline();

    /// <summary>Returns the node that sent a request; unset if its connection has ended meanwhile.</summary>
    public CoapNodeId NodeOf(CoapRequest request) => NodeOf(request.Peer);

    /// <inheritdoc/>
    public void MapQuestion(string path, Func<CoapNodeId, ReadOnlyMemory<byte>, byte[]?> answer) =>
        Routes.MapPost(path, request => NodeOf(request) is { IsSet: true } node && answer(node, request.Payload) is { } bytes
            ? CoapResults.Changed(CoapContent.Binary(bytes))
            : CoapResults.NotFound()).RunInline();

    /// <inheritdoc/>
    public async Task<byte[]?> AskAsync(CoapNodeId node, string path, byte[] question)
    {
        try
        {
            CoapRequest request = new(CoapMethod.Post, path) { Content = CoapContent.Binary(question), Timeout = s_patience };
            CoapResponse response = await SendAsync(node, request).ConfigureAwait(false);
            return response.IsSuccess ? response.Payload.ToArray() : null;
        }
        catch (CoapException)
        {
            // The link reports its own failure.
            return null;
        }
    }

    // The lease in the store alone tells who is live.
    event Action? INodeLinks.LivenessChanged
    {
        add { }
        remove { }
    }

    bool INodeLinks.DecidesOwners => false;

    CoapClusterMap INodeLinks.LiveOf(CoapClusterMap map) => map;

    void INodeLinks.Attach(CoapServer server, string name)
    {
        // Notices tell of its changes.
    }

    /// <summary>Starts to listen.</summary>
    /// <param name="cancellationToken">Stops the start.</param>
    /// <returns>A task that completes when it listens. The address for other nodes is known afterwards.</returns>
    /// <exception cref="CoapException">The address is not available.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        Address = _address;
        if (_parts is null)
        {
            return;
        }

        CoapTlsOptions tls = new()
        {
            Server = new SslServerAuthenticationOptions
            {
                AllowTlsResume = false,
                CertificateRevocationCheckMode = X509RevocationMode.NoCheck,
                ClientCertificateRequired = true,
                EnabledSslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13,
                RemoteCertificateValidationCallback = IsMember,
                ServerCertificateContext = _parts.CertificateContext,
            },
        };
        CoapServer server = _parts.MakeServer(_listen, tls, _routes);
        server.Endpoint.PeerConnected += (_, peer) => OnConnected(peer);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            _server = server;
        }

        await server.StartAsync(cancellationToken).ConfigureAwait(false);
        Address = _address.Length > 0 ? _address : LinkAddress.Advertised(server.LocalEndpoints[0]);
    }

    /// <summary>Keeps links with exactly the nodes of a map.</summary>
    public void Update(CoapClusterMap map)
    {
        lock (_gate)
        {
            if (_parts is null || _server is null || _isDisposed)
            {
                return;
            }

            // A leaving node keeps its link until its end.
            Dictionary<CoapNodeId, CoapClusterNode> wanted = map.Nodes.Where(node => node.Id != Self && node.Address.Length > 0)
                .Take(MaxLinks).ToDictionary(static node => node.Id, static node => node with { IsLeaving = false });
            foreach (ClusterLink link in _links.Values.Where(link => wanted.GetValueOrDefault(link.Node.Id) != link.Node).ToArray())
            {
                _links.Remove(link.Node.Id);
                Close(link);
            }

            foreach (CoapClusterNode node in wanted.Values.Where(node => !_links.ContainsKey(node.Id)))
            {
                if (!LinkAddress.CanBeConnectedTo(node.Address))
                {
                    LinkLog.LinkAddressUnusable(_logger, Self, node.Id, CoapForeignText.LineOf(node.Address));
                    continue;
                }

                ClusterLink link = new(this, node, _parts);
                _links.Add(node.Id, link);
                link.Start();
            }
        }
    }

    /// <summary>Returns the nodes of a map that should have a link but have none.</summary>
    public IReadOnlyList<CoapNodeId> FindMissing(CoapClusterMap map) => IsOn
        ? [.. map.Nodes.Where(node => node.Id != Self && node.Address.Length > 0 && !IsUp(node.Id)).Select(static node => node.Id)]
        : [];

    /// <summary>Whether there is a link with a node.</summary>
    public bool IsUp(CoapNodeId node) => Find(node)?.Peer is not null;

    /// <summary>Returns the address of a node from its connection; null without a link.</summary>
    public CoapAddress? AddressOf(CoapNodeId node) => Find(node)?.Peer?.Address;

    /// <summary>Sends a request to a node and waits for its response.</summary>
    /// <param name="node">The node.</param>
    /// <param name="request">The request, with a path for a URI.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response, including an error response.</returns>
    /// <exception cref="CoapConnectionException">There is no link, or it ended before the response. In the latter case the request may have
    /// taken effect (<see cref="CoapConnectionException.IsOutcomeUnknown"/>).</exception>
    /// <exception cref="CoapException">There is no response; the derived type is the reason.</exception>
    public Task<CoapResponse> SendAsync(CoapNodeId node, CoapRequest request, CancellationToken cancellationToken = default) =>
        Find(node)?.Peer is { } peer
            ? peer.SendAsync(request, cancellationToken)
            : Task.FromException<CoapResponse>(NoLink(node));

    /// <summary>Observes a resource of a node. The observation ends with the link.</summary>
    /// <param name="node">The node.</param>
    /// <param name="request">The request.</param>
    /// <param name="options">The options.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="CoapException">The node does not answer, or there is no link.</exception>
    public Task<CoapObservation> ObserveAsync(
        CoapNodeId node, CoapRequest request, CoapObserveOptions options, CancellationToken cancellationToken) =>
        Find(node)?.Peer is { } peer
            ? peer.ObserveAsync(request, options, cancellationToken)
            : Task.FromException<CoapObservation>(NoLink(node));

    /// <summary>Sends an item to a node, batched with others, without confirmation.</summary>
    /// <param name="node">The node.</param>
    /// <param name="path">The path of the handler (<see cref="MapBatch"/>). Use few different ones: each is a queue.</param>
    /// <param name="item">The item, at most <see cref="LinkBatch.MaxItem"/> bytes; copied.</param>
    /// <returns>False if there is no link.</returns>
    public bool TryPost(CoapNodeId node, string path, ReadOnlySpan<byte> item)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(item.Length, LinkBatch.MaxItem, nameof(item));
        return Find(node)?.Posts.TryPost(path, item) == true;
    }

    /// <summary>Whether the acknowledgement of posts (<see cref="TryPost"/>) by a node is overdue.</summary>
    /// <param name="node">The node.</param>
    /// <param name="path">The path of the handler.</param>
    public bool IsStalled(CoapNodeId node, string path) => Find(node)?.Posts.IsStalled(path) == true;

    /// <summary>Closes all links with a Release, which marks the end as intended, and stops to listen.</summary>
    /// <returns>A task that completes then.</returns>
    public async ValueTask DisposeAsync()
    {
        Task[] closing;
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            _isDisposed = true;
            foreach (ClusterLink link in _links.Values)
            {
                Close(link);
            }

            _links.Clear();
            closing = [.. _closing];
        }

        await Task.WhenAll(closing).ConfigureAwait(false);
        if (_server is { } server)
        {
            await server.StopAsync().ConfigureAwait(false);
            await server.DisposeAsync().ConfigureAwait(false);
        }

        _parts?.Credential.Dispose();
    }

    /// <summary>Reports a new link.</summary>
    internal void RaiseUp(CoapNodeId node) => Raise(listener => listener.OnUp(node));

    /// <summary>Reports the end of a link.</summary>
    internal void RaiseDown(CoapNodeId node) => Raise(listener => listener.OnDown(node));

    private CoapConnectionException NoLink(CoapNodeId node) => new(CoapConnectionError.ConnectFailed,
        $"Node {Self} has no link with node {node}; nothing was sent. Try again when the link is up, or check why the node is not "
        + "reachable (log events 2511 and 2512).");

    private ClusterLink? Find(CoapNodeId node)
    {
        lock (_gate)
        {
            return _links.GetValueOrDefault(node);
        }
    }

    // Requires the lock.
    private void Close(ClusterLink link)
    {
        Task closing = CloseAsync(link);
        _closing.Add(closing);
        _ = ForgetAsync(closing);
    }

    private static async Task CloseAsync(ClusterLink link)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        await link.DisposeAsync().ConfigureAwait(false);
    }

    private async Task ForgetAsync(Task closing)
    {
        await closing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
        lock (_gate)
        {
            _closing.Remove(closing);
        }
    }

    private void Raise(Action<IClusterLinkListener> tell)
    {
        foreach (IClusterLinkListener listener in Volatile.Read(ref _listeners))
        {
            try
            {
                tell(listener);
            }
#pragma warning disable CA1031 // the link stays up regardless of exceptions of a listener
            catch (Exception exception)
#pragma warning restore CA1031
            {
                LinkLog.LinkListenerFailed(_logger, exception);
            }
        }
    }

    private bool IsMember(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        if (_parts!.Credential.NodeOf(certificate).IsSet)
        {
            return true;
        }

        _counts.OnStranger();
        if (_stranger.IsDue())
        {
            LinkLog.LinkStranger(_logger, Self);
        }

        return false;
    }

    private void OnConnected(CoapPeer peer) => Find(NodeOf(peer))?.Hurry();

    // The certificate is gone with the connection; it is therefore looked up when the peer connects.
    private CoapNodeId NodeOf(CoapPeer peer) => peer.Identity is CoapTlsIdentity identity
        ? _members.GetValue(identity, shown => new Member(_parts!.Credential.NodeOf(shown.Certificate))).Node
        : default;

    private CoapResult Take(string path, ClusterItemHandler handler, CoapRequest request)
    {
        CoapNodeId from = NodeOf(request);
        ReadOnlySpan<byte> rest = request.Payload.Span;
        int items = 0;
        while (LinkBatch.TryTake(ref rest, out ReadOnlySpan<byte> item))
        {
            items++;
            try
            {
                handler(from, item);
            }
#pragma warning disable CA1031 // the other items are handled regardless of the exception
            catch (Exception exception)
#pragma warning restore CA1031
            {
                LinkLog.LinkHandlerFailed(_logger, path, exception);
            }
        }

        _counts.OnReceived(items);
        return rest.IsEmpty ? CoapResults.Changed() : CoapResults.BadRequest("The payload is not a list of items.");
    }

    private sealed record Member(CoapNodeId Node);
}
