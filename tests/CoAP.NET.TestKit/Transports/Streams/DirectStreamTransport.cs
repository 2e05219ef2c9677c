namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>A reliable transport without sockets.</summary>
internal sealed class DirectStreamTransport(string scheme = "coap+tcp") : CoapStreamTransport
{
    public static readonly CoapAddress Local = CoapAddress.FromIPv4(0x7f000001, 5683);

    private readonly List<DirectConnection> _opened = [];
    private ICoapStreamTransportContext? _context;
    private ushort _lastPort = 40_000;

    public override string Scheme => scheme;

    public override bool IsSecure => scheme == "coaps+tcp";

    public override IReadOnlyList<CoapAddress> LocalAddresses => [Local];

    public ICoapStreamTransportContext Context => _context ?? throw new InvalidOperationException("not started");

    /// <summary>
    /// Called before a connection is opened by us: throw to have it fail, await to have it take long. Null: it is opened at once.
    /// </summary>
    public Func<CoapAddress, string?, CancellationToken, Task>? Connecting { get; set; }

    /// <summary>
    /// Called with each connection that we opened, before <see cref="ICoapStreamTransportContext.Opened"/>, so that what it sends is seen.
    /// </summary>
    public Action<DirectConnection>? Connected { get; set; }

    /// <summary>The connections that we opened, in order.</summary>
    public IReadOnlyList<DirectConnection> OpenedByUs
    {
        get
        {
            lock (_opened)
            {
                return [.. _opened];
            }
        }
    }

    public override ValueTask StartAsync(ICoapStreamTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        return ValueTask.CompletedTask;
    }

    public override async ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName,
        CancellationToken cancellationToken)
    {
        if (Connecting is { } connecting)
        {
            await connecting(remote, serverName, cancellationToken);
        }

        DirectConnection connection = new(this, remote, isInitiator: true, serverName: serverName);
        lock (_opened)
        {
            _opened.Add(connection);
        }

        Connected?.Invoke(connection);
        return connection.Open()
            ? connection
            : throw new CoapConnectionException(CoapError.Refused,
                $"No connection to {remote} is opened: MaxConnections is reached.");
    }

    /// <summary>A peer connects.</summary>
    /// <param name="remote">From where; null for a new port of 192.0.2.1.</param>
    public DirectConnection Accept(CoapAddress? remote = null, ICoapPeerIdentity? identity = null, string? serverName = null)
    {
        DirectConnection connection = new(this, remote ?? CoapAddress.FromIPv4(0xc0000201, ++_lastPort), isInitiator: false, identity,
            serverName);
        connection.Open();
        return connection;
    }

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
