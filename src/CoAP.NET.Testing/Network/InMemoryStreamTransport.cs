using System.IO.Pipelines;

namespace CoAP.NET.Testing.Network;

/// <summary>
/// Implements <c>coap+tcp</c> and <c>coaps+tcp</c> between endpoints of one <see cref="InMemoryNetwork"/>. Connections are pairs of pipes.
/// With TLS, peers have the identities that they claim, without certificates or handshakes. The faults of the network and virtual time
/// apply to datagrams only: all bytes of connections arrive, in real time.
/// </summary>
internal sealed class InMemoryStreamTransport(
    InMemoryNetwork network, CoapAddress asked, bool isSecure, CoapTestIdentity identity, CoapStreamOptions streams)
    : CoapDuplexPipeTransport(new CoapDuplexPipeTransportOptions { IsSecure = isSecure, Streams = streams })
{
    private CoapAddress? _local;

    public override bool CanConnect => true;

    public override IReadOnlyList<CoapAddress> LocalAddresses => _local is { } local ? [local] : [];

    private CoapTestIdentity Identity => identity;

    public override async ValueTask StartAsync(ICoapStreamTransportContext context, CancellationToken cancellationToken)
    {
        await base.StartAsync(context, cancellationToken).ConfigureAwait(false);
        _local = network.Listeners.Add(asked, this);
    }

    public override ValueTask DisposeAsync()
    {
        if (_local is { } local)
        {
            network.Listeners.Remove(local, this);
        }

        return base.DisposeAsync();
    }

    // Opening takes no time.
    protected override ValueTask<CoapDuplexPipe> OpenAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken)
    {
        if (_local is not { } local)
        {
            throw new CoapConnectionException(CoapError.ConnectFailed, "The transport is not started, or was closed.");
        }

        InMemoryStreamTransport server = network.Listeners.Find<InMemoryStreamTransport>(Scheme, remote);
        Pipe there = new();
        Pipe back = new();
        ICoapPeerIdentity? shown = isSecure ? identity.Show(Scheme, serverName) : null;
        ICoapPeerIdentity? serverIdentity = isSecure ? identity.AsServerOf(server.Identity, Scheme) : null;

        // If the server refuses the connection, it closes the pipes, which this end then sees.
        server.Accept(new CoapDuplexPipe(there.Reader, back.Writer)
        {
            Remote = local.ToIPEndPoint(),
            Local = remote.ToIPEndPoint(),
            Identity = shown,
            ServerName = serverName,
        });
        return ValueTask.FromResult(
            new CoapDuplexPipe(back.Reader, there.Writer) { Local = local.ToIPEndPoint(), Identity = serverIdentity });
    }
}
