namespace CoAP.NET.Transports;

/// <summary>What stands behind a <see cref="CoapTcpTransport"/>: its listening sockets, its connections and the way they are driven.</summary>
internal abstract class TcpEngine : IAsyncDisposable
{
    private readonly Lock _closeGate = new();
    private Task? _closing;

    protected TcpEngine(CoapTcpTransport transport, CoapTransportContext context, CoapTcpTransportOptions options)
    {
        Transport = transport;
        Context = context;
        Options = options;
    }

    public abstract CoapTcpEngine Kind { get; }

    public CoapTcpTransport Transport { get; }

    public CoapTransportContext Context { get; }

    public CoapTcpTransportOptions Options { get; }

    public virtual bool DrivesClock => false;

    public IReadOnlyList<CoapAddress> LocalAddresses { get; protected set; } = [];

    /// <summary>Binds, listens and begins to accept.</summary>
    /// <exception cref="CoapBindException">An address cannot be bound.</exception>
    public abstract Task StartAsync();

    /// <summary>See <see cref="CoapStreamTransport.ConnectAsync"/>. The time limit is kept here.</summary>
    public abstract ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken);

    public virtual void Wake()
    {
    }

    /// <summary>Stops accepting, sends what waits as far as that goes without waiting long, and closes all connections.</summary>
    public ValueTask DisposeAsync()
    {
        lock (_closeGate)
        {
            return new ValueTask(_closing ??= CloseAsync());
        }
    }

    protected abstract Task CloseAsync();
}
