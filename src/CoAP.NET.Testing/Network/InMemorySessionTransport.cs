using System.Collections.Concurrent;
using CoAP.NET.Diagnostics;
using CoAP.NET.Transports;

namespace CoAP.NET.Testing.Network;

/// <summary>
/// Replaces DTLS for <c>coaps</c> on an <see cref="InMemoryNetwork"/>: its peers have the identities that they claim, without keys or
/// handshakes. Messages are lost, delayed and repeated like all datagrams of the network. Opening and closing a session takes no time.
/// </summary>
internal sealed class InMemorySessionTransport(InMemoryNetwork network, CoapAddress asked, CoapTestIdentity identity)
    : CoapSessionTransport, INetworkReceiver
{
    private readonly ConcurrentDictionary<CoapAddress, InMemorySession> _sessions = new();
    private ICoapSessionTransportContext? _context;
    private CoapDatagramPool? _pool;
    private NetworkNode? _node;

    public override string Scheme => "coaps";

    public override IReadOnlyList<CoapAddress> LocalAddresses => _node is { } node ? [node.Inside] : [];

    internal override ValueTask StartAsync(ICoapSessionTransportContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);
        if (_node is not null)
        {
            throw new InvalidOperationException("The transport is already started. Start it only once.");
        }

        cancellationToken.ThrowIfCancellationRequested();
        _context = context;
        _pool = new CoapDatagramPool(context.Limits.Messages.MaxDatagramSize);
        NetworkNode node = network.Attach(asked, this);
        _node = node;
        network.Listeners.Add(node.Inside, this);
        return ValueTask.CompletedTask;
    }

    // Awaits nothing, so opening takes no time. Exceptions still go to the caller that awaits.
#pragma warning disable CS1998
    public override async ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName,
        CancellationToken cancellationToken) => Connect(remote, serverName);
#pragma warning restore CS1998

    public void Transmit(CoapAddress remote, byte[] data)
    {
        if (_node is { } node)
        {
            network.Send(node, remote, data);
        }
    }

    /// <summary>A session of this transport has ended.</summary>
    public void OnEnded(InMemorySession session, CoapException? reason)
    {
        _sessions.TryRemove(KeyValuePair.Create(session.Remote, session));
        _context!.Closed(session, reason);
    }

    public override ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _node, null) is { } node)
        {
            network.Listeners.Remove(node.Inside, this);
            foreach (InMemorySession session in _sessions.Values)
            {
                session.Close(null);
            }

            network.Detach(node);
        }

        return ValueTask.CompletedTask;
    }

    void INetworkReceiver.Deliver(NetworkPacket packet, CoapAddress local)
    {
        // Drops datagrams without a session, because they could not be decrypted.
        if (!_sessions.TryGetValue(packet.From, out InMemorySession? session) || session.Channel is not { } channel
            || packet.Data.Length > _pool!.BufferSize)
        {
            return;
        }

        session.OnHeard();
        CoapDatagram datagram = _pool.Rent();
        packet.Data.Span.CopyTo(datagram.Buffer);
        datagram.Length = packet.Data.Length;
        datagram.Remote = packet.From;
        datagram.Local = local;
        datagram.Transport = this;
        datagram.Channel = channel;
        _context!.Receive(datagram);
    }

    // Like an ICMP message about a session: it cannot be verified.
    void INetworkReceiver.PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted)
    {
    }

    void INetworkReceiver.TooLong(NetworkPacket packet, CoapAddress local) => _context!.Count(CoapCounter.SendErrors);

    private InMemorySession Connect(CoapAddress remote, string? serverName)
    {
        NetworkNode node = _node
            ?? throw new CoapConnectionException(CoapError.ConnectFailed, "The transport is not started, or was closed.");
        InMemorySessionTransport server = network.Listeners.Find<InMemorySessionTransport>(Scheme, remote);
        InMemorySession own = new(this, remote, node.Inside, isInitiator: true, identity.AsServerOf(server.Identity, Scheme), serverName);
        InMemorySession other = new(server, node.Outside, remote, isInitiator: false, identity.Show(Scheme, serverName), serverName);
        own.Other = other;
        other.Other = own;

        // Opens the server's end first, so that it exists for the first message of the client.
        if (!server.TryOpen(other) || !TryOpen(own))
        {
            other.Close(null);
            throw new CoapConnectionException(CoapError.Refused,
                $"No session with {Scheme}://{remote}: one of the two endpoints has reached a limit, or stops.");
        }

        return own;
    }

    private CoapTestIdentity Identity => identity;

    private bool TryOpen(InMemorySession session)
    {
        if (_context is not { } context || _node is null || !context.Opened(session))
        {
            return false;
        }

        // A client that connects again from the same address has lost the previous session.
        InMemorySession? before = null;
        _sessions.AddOrUpdate(
            session.Remote,
            session,
            (_, there) =>
            {
                before = there;
                return session;
            });
        before?.Close(null);
        return true;
    }
}
