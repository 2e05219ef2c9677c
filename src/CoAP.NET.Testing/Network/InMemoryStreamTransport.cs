using System.IO.Pipelines;
using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>
/// <c>coap+tcp</c> and <c>coaps+tcp</c> between endpoints of one <see cref="InMemoryNetwork"/>: connections are pairs of pipes, and with TLS peers have the identities that they claim, without
/// certificates or handshakes. The faults of the network and virtual time are for datagrams: bytes of connections arrive in real time, all of them.
/// </summary>
internal sealed class InMemoryStreamTransport(InMemoryNetwork network, CoapAddress asked, bool isSecure, CoapTestIdentity identity, CoapStreamOptions streams) : CoapStreamTransport
{
    private readonly TransportLife<HostEngine> _life = new();
    private CoapAddress? _local;

    public override string Scheme => isSecure ? "coaps+tcp" : "coap+tcp";

    public override bool IsSecure => isSecure;

    public override IReadOnlyList<CoapAddress> LocalAddresses => _local is { } local ? [local] : [];

    public override async ValueTask StartAsync(CoapTransportContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);
        await _life.StartAsync(this, () => new HostEngine(this, context, streams), cancellationToken).ConfigureAwait(false);
        _local = network.Listeners.Add(asked, this);
    }

    // Not awaiting anything, so that opening takes no time: what is thrown is thrown to whoever awaits.
#pragma warning disable CS1998
    public override async ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken) => Connect(remote, serverName);
#pragma warning restore CS1998

    public override async ValueTask DisposeAsync()
    {
        if (_local is { } local)
        {
            network.Listeners.Remove(local, this);
        }

        await _life.DisposeAsync().ConfigureAwait(false);
    }

    private AsyncConnection Connect(CoapAddress remote, string? serverName)
    {
        if (_local is not { } local || _life.Engine is not { } engine)
        {
            throw new CoapConnectionException(CoapConnectionError.ConnectFailed, "The transport is not started, or was closed.");
        }

        InMemoryStreamTransport server = network.Listeners.Find<InMemoryStreamTransport>(Scheme, remote);
        Pipe there = new();
        Pipe back = new();
        object? shown = isSecure ? identity.Show(Scheme, serverName) : null;
        object? serverIdentity = isSecure ? identity.AsServerOf(server.Identity, Scheme) : null;

        // A server that refuses it has closed the pipes, which is then seen here.
        server.Accept(new Ends(there.Reader, back.Writer), local, remote, shown, serverName);
        AsyncConnection own = new(engine.Host, new PipeLink(new Ends(back.Reader, there.Writer), abort: null), remote, local, isInitiator: true, serverIdentity, serverName);
        return engine.Host.TryOpen(own)
            ? own
            : throw new CoapConnectionException(CoapConnectionError.Refused, $"No connection to {Scheme}://{remote}: the endpoint has reached a bound, or stops.");
    }

    private CoapTestIdentity Identity => identity;

    private void Accept(Ends pipe, CoapAddress from, CoapAddress to, object? shown, string? serverName) => _life.Engine!.Accept(
        new PipeLink(pipe, abort: null),
        new CoapAcceptedConnection { Remote = from.ToIPEndPoint(), Local = to.ToIPEndPoint(), IsSecure = isSecure, Identity = shown, ServerName = serverName });

    private sealed class Ends(PipeReader input, PipeWriter output) : IDuplexPipe
    {
        public PipeReader Input => input;

        public PipeWriter Output => output;
    }
}
