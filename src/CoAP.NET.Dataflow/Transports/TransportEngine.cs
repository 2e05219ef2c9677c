namespace CoAP.NET.Transports;

/// <summary>The engine of a transport: its sockets and the way they are driven.</summary>
internal abstract class TransportEngine : IAsyncDisposable
{
    private readonly Lock _closeGate = new();
    private Task? _closing;

    /// <summary>Whether its loops drive the clock; see <see cref="CoapTransport.DrivesClock"/>.</summary>
    public virtual bool DrivesClock => false;

    public IReadOnlyList<CoapAddress> LocalAddresses { get; protected set; } = [];

    /// <summary>Binds the addresses and starts to receive.</summary>
    /// <exception cref="CoapBindException">An address cannot be bound.</exception>
    public abstract Task StartAsync();

    public virtual void Wake()
    {
    }

    /// <summary>Stops receiving, sends waiting messages as far as possible without a long wait, and closes all sockets.</summary>
    public ValueTask DisposeAsync()
    {
        lock (_closeGate)
        {
            return new ValueTask(_closing ??= CloseAsync());
        }
    }

    protected abstract Task CloseAsync();
}
