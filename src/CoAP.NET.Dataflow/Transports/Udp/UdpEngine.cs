using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>What stands behind a <see cref="CoapUdpTransport"/>: the sockets of one transport and the way they are driven.</summary>
internal abstract class UdpEngine : IAsyncDisposable
{
    private readonly Lock _closeGate = new();
    private Task? _closing;

    protected UdpEngine(CoapTransport transport, CoapTransportContext context, CoapUdpTransportOptions options)
    {
        Transport = transport;
        Context = context;
        Options = options;
    }

    public abstract CoapUdpEngine Kind { get; }

    public CoapTransport Transport { get; }

    public CoapTransportContext Context { get; }

    public CoapUdpTransportOptions Options { get; }

    public virtual bool DrivesClock => false;

    public IReadOnlyList<CoapAddress> LocalAddresses { get; protected set; } = [];

    public abstract Task StartAsync();

    /// <summary>Sends and takes over. Does not throw.</summary>
    public abstract void Send(CoapDatagram datagram);

    public virtual void Wake()
    {
    }

    public ValueTask DisposeAsync()
    {
        lock (_closeGate)
        {
            return new ValueTask(_closing ??= CloseAsync());
        }
    }

    protected abstract Task CloseAsync();

    /// <summary>Counts a datagram that did not leave, says so, and gives it back.</summary>
    internal void Fail(CoapDatagram datagram, SocketException error)
    {
        Context.Counters.Add(CoapCounter.SendErrors);
        Log.UdpSendFailed(Context.Logger, datagram.Remote, error.Message);
        Context.SendFailed(datagram, error);
        datagram.Dispose();
    }
}
