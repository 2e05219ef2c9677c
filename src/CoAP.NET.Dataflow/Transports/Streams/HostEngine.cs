namespace CoAP.NET.Transports;

/// <summary>What stands behind a transport that binds nothing: its connections, opened by it or handed over to it.</summary>
internal sealed class HostEngine(CoapStreamTransport transport, ICoapStreamContext context, CoapStreamOptions streams) : TransportEngine
{
    private readonly CancellationTokenSource _stopping = new();

    /// <summary>What the endpoint gave the transport.</summary>
    public ICoapStreamContext Context { get; } = context;

    public ConnectionHost Host { get; } = new(transport, context, streams);

    public CoapStreamOptions Streams { get; } = streams;

    /// <summary>Cancelled when the transport closes.</summary>
    public CancellationToken Stopping => _stopping.Token;

    public override Task StartAsync() => Task.CompletedTask;

    /// <summary>Has a connection begin that somebody else accepted.</summary>
    /// <param name="link">What it moves over.</param>
    /// <param name="accepted">What is known of it.</param>
    /// <returns>The connection; null when it is not taken, and then it was closed.</returns>
    public AsyncConnection? Accept(ConnectionLink link, CoapAcceptedConnection accepted)
    {
        AsyncConnection connection = new(
            Host,
            link,
            CoapAddress.FromIPEndPoint(accepted.Remote),
            CoapAddress.FromIPEndPoint(accepted.Local),
            isInitiator: false,
            accepted.Identity,
            string.IsNullOrEmpty(accepted.ServerName) ? null : accepted.ServerName.ToLowerInvariant());
        return Host.TryOpen(connection) ? connection : null;
    }

    /// <summary>Has a connection begin over pipes.</summary>
    /// <param name="pipe">The pipes, and what is known of the peer.</param>
    /// <returns>The connection; null when it is not taken, and then the pipes were closed.</returns>
    public AsyncConnection? Accept(CoapDuplexPipe pipe) => Accept(
        new PipeLink(pipe, pipe.Abort),
        new CoapAcceptedConnection { Remote = pipe.Remote, Local = pipe.Local, Identity = pipe.Identity, ServerName = pipe.ServerName });

    protected override async Task CloseAsync()
    {
        Host.BeginClose();
        await _stopping.CancelAsync().ConfigureAwait(false);
        Host.CloseConnections();
        await Host.WhenLeftAsync().ConfigureAwait(false);
        _stopping.Dispose();
    }
}
