using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using CoAP.NET.Transports;
using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET;

/// <summary>Runs CoAP over UDP (RFC 7252) with one or several sockets, for servers and clients.</summary>
/// <remarks>
/// The thread that receives a datagram processes it to completion. When user code blocks there, another thread continues receiving. Answers
/// leave from the address that the request was sent to.
/// </remarks>
[UnsupportedOSPlatform("browser")]
public sealed class CoapUdpTransport : CoapDatagramTransport
{
    private readonly CoapUdpTransportOptions _options;
    private readonly TransportLifetime<UdpEngine> _life = new();
    private readonly Func<ICoapDatagramTransportContext, UdpEngine> _makeFirst;

    /// <summary>Creates a transport. <see cref="StartAsync"/> binds the addresses.</summary>
    /// <param name="options">The addresses and settings; null: any address and port, as clients do.</param>
    public CoapUdpTransport(CoapUdpTransportOptions? options = null)
        : this(options, null)
    {
    }

    /// <param name="options">The addresses and settings.</param>
    /// <param name="makeFirst">
    /// Makes the engine that <see cref="CoapSocketEngine.Auto"/> tries first; null for the usual one. For tests.
    /// </param>
    internal CoapUdpTransport(CoapUdpTransportOptions? options, Func<ICoapDatagramTransportContext, UdpEngine>? makeFirst)
    {
        _options = (options ?? new CoapUdpTransportOptions()).MakeReadOnlyFor("a transport");
        _makeFirst = makeFirst ?? MakeEngine;
    }

    /// <inheritdoc/>
    public override string Scheme => "coap";

    /// <summary>Whether the loop drives the clock: on Linux with the system clock. Known after <see cref="StartAsync"/>.</summary>
    public override bool DrivesClock => _life.Engine is { DrivesClock: true };

    /// <inheritdoc/>
    public override IReadOnlyList<CoapAddress> LocalAddresses => _life.Engine?.LocalAddresses ?? [];

    /// <summary>The engine in use; before <see cref="StartAsync"/> the requested one.</summary>
    public CoapSocketEngine Engine => _life.Engine?.Kind ?? _options.Engine;

    /// <inheritdoc/>
    /// <exception cref="CoapBindException">An address cannot be bound. Nothing is left open, and a new start is possible.</exception>
    /// <exception cref="InvalidOperationException">The transport was already started.</exception>
    /// <exception cref="PlatformNotSupportedException">
    /// The options request <see cref="CoapSocketEngine.LinuxLoop"/> on a system that does not support it.
    /// </exception>
    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);
        return _options.Engine == CoapSocketEngine.Auto
            ? StartAnyAsync(context, cancellationToken)
            : _life.StartAsync(this, () => MakeEngine(context), cancellationToken);
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

        // Prefer a socket of the address's own family over a dual-mode socket.
        (local, tag) = both < 0 ? (default, 0) : (CoapAddress.Of(address, bound[both].Port), both);
        return both >= 0;
    }

    /// <inheritdoc/>
    internal override bool HandsOver => true;

    /// <inheritdoc/>
    public override bool IsOurs(IPAddress address)
    {
        ArgumentNullException.ThrowIfNull(address);
        return OwnHostAddressCheck.Contains(address);
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

    /// <summary>Whether other processes may receive at its ports.</summary>
    internal bool SharesPort => _options.SharePort;

    /// <inheritdoc/>
    public override void Wake() => _life.Engine?.Wake();

    /// <summary>Stops receiving, sends batched datagrams and closes the sockets. A handler may call and await it.</summary>
    /// <returns>A task that completes when the transport receives nothing more.</returns>
    public override ValueTask DisposeAsync() => _life.DisposeAsync();

    private async ValueTask StartAnyAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        if (TransportLoops.Refusal is { } refusal)
        {
            UdpLog.UdpFallsBack(context.Logger, refusal);
        }

        try
        {
            await _life.StartAsync(this, () => _makeFirst(context), cancellationToken).ConfigureAwait(false);
        }
        catch (CoapBindException exception) when (exception.SocketError is SocketError.ProtocolOption or SocketError.OperationNotSupported
            && LinuxUdpEngine.IsSupported)
        {
            // An emulator, a sandbox or an old kernel.
            UdpLog.UdpFallsBack(context.Logger, exception.Message);
            await _life.StartAsync(this, () => new PortableUdpEngine(this, context, _options), cancellationToken).ConfigureAwait(false);
        }
    }

    private UdpEngine MakeEngine(ICoapDatagramTransportContext context)
    {
        switch (_options.Engine)
        {
            case CoapSocketEngine.LinuxLoop when !LinuxUdpEngine.IsSupported:
                throw new PlatformNotSupportedException("The engine LinuxLoop needs Linux on x64 or arm64. Use CoapSocketEngine.Auto.");
            case CoapSocketEngine.Portable or PortableUdpEngine.WithTwoSockets:
            case CoapSocketEngine.Auto when !LinuxUdpEngine.IsSupported:
                return new PortableUdpEngine(this, context, _options);
            default:
                return new LinuxUdpEngine(this, context, _options);
        }
    }
}
