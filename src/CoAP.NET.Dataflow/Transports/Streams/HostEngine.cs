namespace CoAP.NET.Transports;

/// <summary>What stands behind a transport that binds nothing: its connections, opened by it or handed over to it.</summary>
internal sealed class HostEngine(CoapStreamTransport transport, CoapTransportContext context, CoapStreamOptions streams) : TransportEngine(context)
{
    private readonly CancellationTokenSource _stopping = new();

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

    protected override async Task CloseAsync()
    {
        Host.BeginClose();
        await _stopping.CancelAsync().ConfigureAwait(false);
        Host.CloseConnections();
        await Host.WhenLeftAsync().ConfigureAwait(false);
        _stopping.Dispose();
    }
}
