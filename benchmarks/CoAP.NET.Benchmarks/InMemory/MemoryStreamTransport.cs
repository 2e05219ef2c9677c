namespace CoAP.NET.Benchmarks;

/// <summary>
/// Connections in memory instead of TCP: whole frames move on the thread that sends them. Peers say nothing of their own in their CSM.
/// </summary>
internal sealed class MemoryStreamTransport(CoapAddress local) : CoapStreamTransport
{
    /// <summary>A CSM without options (RFC 8323 section 5.3): a frame of no token and no options, with code 7.01.</summary>
    private static readonly byte[] s_csm = [0x00, 0xe1];

    public ICoapStreamTransportContext? Context { get; private set; }

    /// <summary>Gets what the endpoint sends, and on which connection; must be done with it when it returns.</summary>
    public Action<ReadOnlySpan<byte>, MemoryConnection>? Sent { get; set; }

    public LoopTime Time { get; } = new();

    public override string Scheme => "coap+tcp";

    public override bool DrivesClock => true;

    public override IReadOnlyList<CoapAddress> LocalAddresses { get; } = [local];

    public override ValueTask StartAsync(ICoapStreamTransportContext context, CancellationToken cancellationToken)
    {
        Context = context;
        Time.Start(context);
        return ValueTask.CompletedTask;
    }

    /// <summary>A peer opens a connection.</summary>
    public MemoryConnection Accept(CoapAddress remote) => Open(remote, isInitiator: false);

    public override ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken) =>
        new(Open(remote, isInitiator: true));

    public override void Wake() => Time.Wake();

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private MemoryConnection Open(CoapAddress remote, bool isInitiator)
    {
        MemoryConnection connection = new(this, remote, LocalAddresses[0], isInitiator);
        if (!Context!.Opened(connection))
        {
            throw new CoapConnectionException(CoapError.Refused, $"The endpoint refused the connection with {remote}.");
        }

        connection.Deliver(s_csm);
        return connection;
    }
}
