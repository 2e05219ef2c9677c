using System.Net;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports.Sessions;

/// <summary>Security sessions over datagrams without sockets and without cryptography.</summary>
internal class DirectSessionTransport : CoapSessionTransport
{
    public static readonly CoapAddress Local = CoapAddress.FromIPv4(0x7f000001, 5684);

    private readonly List<DirectSession> _opened = [];
    private ICoapSessionTransportContext? _context;

    public override string Scheme => "coaps";

    public override IReadOnlyList<CoapAddress> LocalAddresses => [Local];

    public ICoapSessionTransportContext Context => _context ?? throw new InvalidOperationException("not started");

    /// <summary>
    /// Called before a session is opened by us: throw to have it fail, await to have it take long. Null: it is opened at once.
    /// </summary>
    public Func<CoapAddress, string?, CancellationToken, Task>? Connecting { get; set; }

    /// <summary>Called with each message that leaves in a session that we opened; what it returns comes back. Null for nothing.</summary>
    public Func<DirectSession, string, string?>? Answers { get; set; }

    /// <summary>Whether what is closed stays open, as if the transport were still busy.</summary>
    public bool IsSlowToClose { get; set; }

    public bool IsDisposed { get; private set; }

    /// <summary>The sessions that we opened, in order.</summary>
    public IReadOnlyList<DirectSession> OpenedByUs
    {
        get
        {
            lock (_opened)
            {
                return [.. _opened];
            }
        }
    }

    internal override ValueTask StartAsync(ICoapSessionTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        return ValueTask.CompletedTask;
    }

    public override ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken) =>
        ConnectAsync(remote, Local, serverName, cancellationToken);

    /// <summary>A peer completes its handshake.</summary>
    public DirectSession Accept(CoapAddress remote, ICoapPeerIdentity? identity = null)
    {
        DirectSession session = new(this, remote, Local, isInitiator: false, identity);
        Assert.True(Context.Opened(session));
        return session;
    }

    public override ValueTask DisposeAsync()
    {
        IsDisposed = true;
        return ValueTask.CompletedTask;
    }

    private protected async ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, CoapAddress local, string? serverName,
        CancellationToken cancellationToken)
    {
        if (Connecting is { } connecting)
        {
            await connecting(remote, serverName, cancellationToken);
        }

        DirectSession session = new(this, remote, local, isInitiator: true, serverName: serverName);
        lock (_opened)
        {
            _opened.Add(session);
        }

        return Context.Opened(session)
            ? session
            : throw new CoapConnectionException(CoapError.Refused, $"No session with {remote} is opened.");
    }

    /// <summary>One that can leave from a chosen address.</summary>
    internal sealed class Choosing : DirectSessionTransport
    {
        public override ValueTask<CoapConnection> ConnectFromAsync(CoapAddress remote, IPAddress local, string? serverName,
            CancellationToken cancellationToken) =>
                ConnectAsync(remote, CoapAddress.FromIPEndPoint(new IPEndPoint(local, 0)), serverName, cancellationToken);
    }
}
