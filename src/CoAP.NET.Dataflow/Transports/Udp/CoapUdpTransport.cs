using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>
/// CoAP over UDP (RFC 7252): one or several sockets, for servers and clients. Received datagrams run to completion on the thread that
/// received them; when user code blocks there, another thread goes on receiving. Answers leave from the address that was asked.
/// </summary>
public sealed class CoapUdpTransport : CoapDatagramTransport
{
    private readonly CoapUdpTransportOptions _options;
    private readonly TransportLife<UdpEngine> _life = new();

    /// <summary>Makes a transport; nothing is bound before <see cref="StartAsync"/>.</summary>
    /// <param name="options">What to bind and how; null: any address and port, as clients do.</param>
    public CoapUdpTransport(CoapUdpTransportOptions? options = null) => _options = (options ?? new CoapUdpTransportOptions()).Clone();

    /// <inheritdoc/>
    public override string Scheme => "coap";

    /// <summary>Whether the loop calls the clock; on Linux, when the clock is the system's. Known after <see cref="StartAsync"/>.</summary>
    public override bool DrivesClock => _life.Engine is { DrivesClock: true };

    /// <inheritdoc/>
    public override IReadOnlyList<CoapAddress> LocalAddresses => _life.Engine?.LocalAddresses ?? [];

    /// <summary>The engine in use; before <see cref="StartAsync"/> the one that was asked for.</summary>
    public CoapUdpEngine Engine => _life.Engine?.Kind ?? _options.Engine;

    /// <inheritdoc/>
    /// <exception cref="CoapBindException">An address cannot be bound; nothing is left open, and the start may be tried again.</exception>
    /// <exception cref="InvalidOperationException">It was started before.</exception>
    /// <exception cref="PlatformNotSupportedException"><see cref="CoapUdpEngine.LinuxLoop"/> was asked for where it does not
    /// work.</exception>
    public override ValueTask StartAsync(ICoapDatagramContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);
        return _life.StartAsync(this, () => MakeEngine(context), cancellationToken);
    }

    /// <inheritdoc/>
    public override bool TryFindLocal(IPAddress address, out CoapAddress local, out int tag)
    {
        ArgumentNullException.ThrowIfNull(address);
        bool isForBoth = _options.DualMode && address.AddressFamily == AddressFamily.InterNetwork;
        IReadOnlyList<CoapAddress> bound = LocalAddresses;
        int both = -1;
        for (tag = 0; tag < bound.Count; tag++)
        {
            local = CoapAddress.Of(address, bound[tag].Port);
            if (IsBoundTo(bound[tag], local))
            {
                return true;
            }

            both = both < 0 && isForBoth && bound[tag].IsAny ? tag : both;
        }

        // A socket for both families comes second to one that is of the address's own.
        (local, tag) = both < 0 ? (default, 0) : (CoapAddress.Of(address, bound[both].Port), both);
        return both >= 0;
    }

    /// <inheritdoc/>
    public override bool HandsOver => true;

    /// <inheritdoc/>
    public override bool IsOurs(IPAddress address)
    {
        ArgumentNullException.ThrowIfNull(address);
        return HostAddresses.Contains(address);
    }

    /// <inheritdoc/>
    public override IPAddress? SourceTo(CoapAddress remote)
    {
        try
        {
            // Sends nothing: the system only looks up its routes.
            IPEndPoint endpoint = remote.ToIPEndPoint();
            using Socket probe = new(endpoint.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            probe.Connect(endpoint);
            return (probe.LocalEndPoint as IPEndPoint)?.Address;
        }
        catch (SocketException)
        {
            return null;
        }
    }

    /// <inheritdoc/>
    public override void Send(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        if (_life.Engine is { } engine)
        {
            engine.Send(datagram);
        }
        else
        {
            datagram.Dispose();
        }
    }

    /// <summary>
    /// How many sockets this transport has at each of its addresses, among which and those of other processes a
    /// <see cref="CoapUdpSlotTable"/> can choose. 0 before the start, when <see cref="CoapUdpTransportOptions.SharePort"/> is not set, and
    /// with the engine <see cref="CoapUdpEngine.Portable"/>.
    /// </summary>
    public int SharedSockets => _life.Engine?.SharedSockets ?? 0;

    /// <summary>
    /// Has the kernel bring DTLS records to sockets by their slots, at an address that several processes share. It takes the place of a
    /// table that any of them attached before, and holds as long as one of them has the port. No datagram is lost meanwhile. Linux, without
    /// privileges (SO_ATTACH_REUSEPORT_CBPF).
    /// </summary>
    /// <param name="tag">The index of the address in <see cref="LocalAddresses"/>.</param>
    /// <param name="table">The table.</param>
    /// <returns>False where the port is not shared, there is no such address, the engine is <see cref="CoapUdpEngine.Portable"/>, or the
    /// kernel refuses: the last two are logged, and counted in <see cref="CoapCounter.SlotTablesRefused"/>.</returns>
    public bool TryAttach(int tag, CoapUdpSlotTable table)
    {
        ArgumentNullException.ThrowIfNull(table);
        return _life.Engine?.TryAttach(tag, table) ?? false;
    }

    /// <inheritdoc/>
    public override void Wake() => _life.Engine?.Wake();

    /// <summary>
    /// Stops receiving, sends what is still batched and closes the sockets. May be called, and waited for, inside a handler.
    /// </summary>
    /// <returns>A task that ends when nothing more is received.</returns>
    public override ValueTask DisposeAsync() => _life.DisposeAsync();

    private UdpEngine MakeEngine(ICoapDatagramContext context)
    {
        switch (_options.Engine)
        {
            case CoapUdpEngine.LinuxLoop when !LinuxUdpEngine.IsSupported:
                throw new PlatformNotSupportedException("The engine LinuxLoop needs Linux on x64 or arm64; use CoapUdpEngine.Auto.");
            case CoapUdpEngine.Portable:
            case CoapUdpEngine.Auto when !LinuxUdpEngine.IsSupported:
                return new PortableUdpEngine(this, context, _options);
            default:
                return new LinuxUdpEngine(this, context, _options);
        }
    }
}
