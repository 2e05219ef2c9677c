using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Cluster.Oscore;

/// <summary>
/// Brings datagrams that other nodes relayed into the endpoint, as if they had arrived at its own socket: it is the same peer, wherever
/// its datagrams arrive. It sends nothing.
/// </summary>
internal sealed class RelayedDatagramTransport : CoapDatagramTransport
{
    // Of each shard. Further datagrams are dropped, and their clients retransmit them.
    private const int MaxQueued = 4_096;

    private ActionBlock<CoapDatagram>[] _shards = [];
    private ICoapDatagramTransportContext? _context;

    /// <inheritdoc/>
    public override string Scheme => "coap";

    /// <inheritdoc/>
    public override IReadOnlyList<CoapAddress> LocalAddresses => [];

    internal override bool CanRequest => false;

    internal override bool CanListen => false;

    /// <inheritdoc/>
    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        Volatile.Write(ref _shards, [.. Enumerable.Range(0, context.ShardCount).Select(_ => new ActionBlock<CoapDatagram>(
            context.Receive, new ExecutionDataflowBlockOptions { BoundedCapacity = MaxQueued }))]);
        return ValueTask.CompletedTask;
    }

    /// <summary>Takes a datagram over.</summary>
    /// <returns>False if it is too long, the endpoint does not run, or too many wait.</returns>
    public bool Receive(CoapDatagram datagram)
    {
        ActionBlock<CoapDatagram>[] shards = Volatile.Read(ref _shards);
        return shards.Length > 0 && datagram.Length <= _context!.Limits.Messages.MaxDatagramSize
            && shards[_context.ShardOf(datagram.Remote)].Post(datagram);
    }

    /// <inheritdoc/>
    public override void Send(CoapDatagram datagram) => datagram.Dispose();

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        foreach (ActionBlock<CoapDatagram> shard in Interlocked.Exchange(ref _shards, []))
        {
            shard.Complete();
            await shard.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
