using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Transports;

namespace CoAP.NET.Testing.Network;

/// <summary>The transport of an endpoint on an <see cref="InMemoryNetwork"/>, in place of UDP.</summary>
/// <remarks>
/// It receives on the thread that runs the network: with a
/// <see cref="VirtualClock"/> the thread that advances the clock.
/// </remarks>
internal sealed class InMemoryTransport : CoapDatagramTransport, INetworkReceiver
{
    private readonly InMemoryNetwork _network;
    private readonly CoapAddress _asked;
    private ICoapDatagramTransportContext? _context;
    private CoapDatagramPool? _pool;
    private NetworkNode? _node;

    internal InMemoryTransport(InMemoryNetwork network, CoapAddress local)
    {
        _network = network;
        _asked = local;
    }

    /// <summary><c>coap</c>.</summary>
    public override string Scheme => "coap";

    /// <inheritdoc/>
    public override IReadOnlyList<CoapAddress> LocalAddresses => _node is { } node ? [node.Inside] : [];

    /// <summary>The address as others see it. It differs from the local one after <see cref="InMemoryNetwork.Rebind"/>.</summary>
    /// <exception cref="InvalidOperationException">The transport is not started.</exception>
    public CoapAddress PublicAddress => Node.Outside;

    private NetworkNode Node =>
        _node ?? throw new InvalidOperationException("The transport has no address: it is not started, or disposed.");

    /// <inheritdoc/>
    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);
        if (_node is not null)
        {
            throw new InvalidOperationException("The transport is already started. Start it only once.");
        }

        cancellationToken.ThrowIfCancellationRequested();
        _context = context;
        _pool = new CoapDatagramPool(context.Limits.Messages.MaxDatagramSize);
        _node = _network.Attach(_asked, this);
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    public override void Send(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        if (_node is not { } node || _context is not { } context)
        {
            if (_context is not null)
            {
                _context.Count(CoapCounter.SendErrors);
                _context.SendFailed(datagram, new SocketException((int)SocketError.NotConnected));
            }

            datagram.Dispose();
            return;
        }

        // Copied and disposed before anything else happens, as a real transport does once the datagram has left.
        byte[] data = datagram.Span.ToArray();
        CoapAddress remote = datagram.Remote;
        datagram.Dispose();
        _network.Send(node, remote, data);
    }

    /// <summary>Leaves the network and frees the address.</summary>
    /// <returns>A completed task.</returns>
    public override ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _node, null) is { } node)
        {
            _network.Detach(node);
        }

        return ValueTask.CompletedTask;
    }

    void INetworkReceiver.Deliver(NetworkPacket packet, CoapAddress local)
    {
        ICoapDatagramTransportContext context = _context!;
        CoapDatagram datagram = _pool!.Rent();
        datagram.Length = Math.Min(packet.Data.Length, datagram.Buffer.Length);
        datagram.IsTruncated = packet.Data.Length > datagram.Length;
        datagram.Remote = packet.From;
        datagram.Local = local;
        datagram.Transport = this;
        packet.Data.Span[..datagram.Length].CopyTo(datagram.Buffer);
        context.Receive(datagram);
    }

    void INetworkReceiver.PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted) =>
        _context!.PortUnreachable(remote, local, quoted);

    void INetworkReceiver.TooLong(NetworkPacket packet, CoapAddress local)
    {
        CoapDatagram datagram = new(packet.Data.Length)
        {
            Length = packet.Data.Length,
            Remote = packet.To,
            Local = local,
            Transport = this
        };
        packet.Data.Span.CopyTo(datagram.Buffer);
        _context!.Count(CoapCounter.SendErrors);
        _context.SendFailed(datagram, new SocketException((int)SocketError.MessageSize));
    }
}
