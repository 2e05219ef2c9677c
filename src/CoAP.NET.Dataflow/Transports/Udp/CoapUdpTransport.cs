namespace CoAP.NET.Transports;

/// <summary>
/// CoAP over UDP (RFC 7252): one or several sockets, for servers and clients. Received datagrams run to completion on the thread that received them; when
/// user code blocks there, another thread goes on receiving. Answers leave from the address that was asked.
/// </summary>
public sealed class CoapUdpTransport : CoapTransport
{
    private readonly CoapUdpTransportOptions _options;
    private UdpEngine? _engine;
    private bool _disposed;
    private bool _running;
    private int _started;

    /// <summary>Makes a transport; nothing is bound before <see cref="StartAsync"/>.</summary>
    /// <param name="options">What to bind and how; null: any address and port, as clients do.</param>
    public CoapUdpTransport(CoapUdpTransportOptions? options = null) => _options = (options ?? new CoapUdpTransportOptions()).Clone();

    /// <inheritdoc/>
    public override string Scheme => "coap";

    /// <summary>Whether the loop calls the clock; on Linux, when the clock is the system's. Known after <see cref="StartAsync"/>.</summary>
    public override bool DrivesClock => _engine is { DrivesClock: true };

    /// <inheritdoc/>
    public override IReadOnlyList<CoapAddress> LocalAddresses => _engine?.LocalAddresses ?? [];

    /// <summary>The engine in use; before <see cref="StartAsync"/> the one that was asked for.</summary>
    public CoapUdpEngine Engine => _engine?.Kind ?? _options.Engine;

    /// <inheritdoc/>
    /// <exception cref="CoapBindException">An address cannot be bound; nothing is left open, and the start may be tried again.</exception>
    /// <exception cref="InvalidOperationException">It was started before.</exception>
    /// <exception cref="PlatformNotSupportedException"><see cref="CoapUdpEngine.LinuxLoop"/> was asked for where it does not work.</exception>
    public override async ValueTask StartAsync(CoapTransportContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);
        cancellationToken.ThrowIfCancellationRequested();
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        if (Interlocked.Exchange(ref _started, 1) != 0)
        {
            throw new InvalidOperationException("The transport was started before; make a new one.");
        }

        UdpEngine engine = MakeEngine(context);

        // Before the first datagram, which may be answered before the start returns.
        Volatile.Write(ref _engine, engine);
        try
        {
            await engine.StartAsync().ConfigureAwait(false);
        }
        catch
        {
            await engine.DisposeAsync().ConfigureAwait(false);
            Volatile.Write(ref _engine, null);
            Volatile.Write(ref _started, 0);
            throw;
        }

        Volatile.Write(ref _running, true);
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _disposed))
        {
            await engine.DisposeAsync().ConfigureAwait(false);
            ObjectDisposedException.ThrowIf(true, this);
        }
    }

    /// <inheritdoc/>
    public override void Send(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        if (_engine is { } engine)
        {
            engine.Send(datagram);
        }
        else
        {
            datagram.Dispose();
        }
    }

    /// <inheritdoc/>
    public override void Wake() => _engine?.Wake();

    /// <summary>Stops receiving, sends what is still batched and closes the sockets. May be called, and waited for, inside a handler.</summary>
    /// <returns>A task that ends when nothing more is received.</returns>
    public override ValueTask DisposeAsync()
    {
        Volatile.Write(ref _disposed, true);
        Interlocked.MemoryBarrier();

        // While it is still starting, the start sees the mark and closes.
        return Volatile.Read(ref _running) && _engine is { } engine ? engine.DisposeAsync() : ValueTask.CompletedTask;
    }

    private UdpEngine MakeEngine(CoapTransportContext context)
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
