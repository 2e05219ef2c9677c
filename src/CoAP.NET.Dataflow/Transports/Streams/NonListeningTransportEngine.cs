namespace CoAP.NET.Transports.Streams;

/// <summary>The engine of a transport that binds nothing: connections that it opened or that were handed to it.</summary>
internal sealed class NonListeningTransportEngine(
    CoapStreamTransport transport, ICoapStreamTransportContext context, CoapStreamOptions streams)
    : TransportEngine
{
    private readonly CancellationTokenSource _stopping = new();

    public ICoapStreamTransportContext Context { get; } = context;

    public AsyncIOConnections Host { get; } = new(transport, context, streams);

    public CoapStreamOptions Streams { get; } = streams;

    /// <summary>Cancelled when the transport closes.</summary>
    public CancellationToken Stopping => _stopping.Token;

    public override Task StartAsync() => Task.CompletedTask;

    /// <summary>Starts a connection accepted elsewhere.</summary>
    /// <returns>The connection; null when it is refused and therefore closed.</returns>
    public AsyncIOConnection? Accept(ConnectionByteTransport link, CoapAcceptedConnectionInfo accepted)
    {
        AsyncIOConnection connection = new(
            Host,
            link,
            CoapAddress.FromIPEndPoint(accepted.Remote),
            CoapAddress.FromIPEndPoint(accepted.Local),
            isInitiator: false,
            accepted.Identity,
            string.IsNullOrEmpty(accepted.ServerName) ? null : accepted.ServerName.ToLowerInvariant());
        return Host.TryOpen(connection) ? connection : null;
    }

    /// <summary>Starts a connection over pipes.</summary>
    /// <returns>The connection; null when it is refused. The pipes are then closed.</returns>
    public AsyncIOConnection? Accept(CoapDuplexPipe pipe) => Accept(
        new PipeByteTransport(pipe, pipe.Abort),
        new CoapAcceptedConnectionInfo
        {
            Remote = pipe.Remote,
            Local = pipe.Local,
            Identity = pipe.Identity,
            ServerName = pipe.ServerName,
        });

    protected override async Task CloseAsync()
    {
        Host.BeginClose();
        await _stopping.CancelAsync().ConfigureAwait(false);
        Host.CloseConnections();
        await Host.WhenLeftAsync().ConfigureAwait(false);
        _stopping.Dispose();
    }
}
