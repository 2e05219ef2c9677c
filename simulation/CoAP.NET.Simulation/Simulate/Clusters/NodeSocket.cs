using CoAP.NET.Diagnostics;
using CoAP.NET.Testing.Network;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// The socket of a node on the simulated network: while the node stands still what comes lies there, and comes first when it goes on; when
/// it is dead nothing comes and nothing leaves.
/// </summary>
/// <param name="inner">The network.</param>
/// <param name="time">The life of the node.</param>
internal sealed class NodeSocket(InMemoryTransport inner, NodeTime time) : CoapDatagramTransport
{
    // As many as a buffer of the kernel takes, more or less.
    private const int MaxWaiting = 200;

    private readonly Queue<CoapDatagram> _waiting = new();
    private ICoapDatagramTransportContext? _context;
    private bool _isReplaced;

    public override string Scheme => inner.Scheme;

    public override IReadOnlyList<CoapAddress> LocalAddresses => inner.LocalAddresses;

    // Sessions that another node had have its address.
    public override bool IsOurs(IPAddress address) =>
        inner.LocalAddresses is [var own, ..] && own.ToIPAddress().Equals(address);

    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        return inner.StartAsync(new Gate(this, context), cancellationToken);
    }

    public override void Send(CoapDatagram datagram)
    {
        if (time.IsDead || _isReplaced)
        {
            datagram.Dispose();
        }
        else
        {
            inner.Send(datagram);
        }
    }

    /// <summary>The node goes on: what lies here comes, before any timer.</summary>
    public void Open()
    {
        while (_waiting.TryDequeue(out CoapDatagram? datagram))
        {
            _context!.Receive(datagram);
        }
    }

    /// <summary>Another process has the address now: nothing arrives here any more, and nothing leaves.</summary>
    public void Replace()
    {
        _isReplaced = true;
        while (_waiting.TryDequeue(out CoapDatagram? datagram))
        {
            datagram.Dispose();
        }

        _ = inner.DisposeAsync().AsTask();
    }

    public override ValueTask DisposeAsync() => _isReplaced ? ValueTask.CompletedTask : inner.DisposeAsync();

    private void Receive(CoapDatagram datagram)
    {
        if (!time.IsStill)
        {
            datagram.Transport = this;
            _context!.Receive(datagram);
        }
        else if (time.IsDead || _waiting.Count >= MaxWaiting)
        {
            datagram.Dispose();
        }
        else
        {
            datagram.Transport = this;
            _waiting.Enqueue(datagram);
        }
    }

    private sealed class Gate(NodeSocket socket, ICoapDatagramTransportContext context) : ICoapDatagramTransportContext
    {
        public TimeProvider TimeProvider => context.TimeProvider;

        public CoapRandomSource Random => context.Random;

        public CoapLimits Limits => context.Limits;

        public CoapSourceGroupingRule Sources => context.Sources;

        public CoapCounters Counters => context.Counters;

        public void Count(CoapCounter counter, long by = 1) => context.Count(counter, by);

        public ILogger Logger => context.Logger;

        public CoapThreadScheduler Scheduler => context.Scheduler;

        public int ShardCount => context.ShardCount;

        public bool IsStopping => context.IsStopping;

        public int ShardOf(CoapAddress remote) => context.ShardOf(remote);

        public void Receive(CoapDatagram datagram) => socket.Receive(datagram);

        public void SendFailed(CoapDatagram datagram, Exception error) => context.SendFailed(datagram, error);

        public void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted)
        {
        }

        public TimeSpan Tick() => Timeout.InfiniteTimeSpan;

        public void Fault(CoapException error) => context.Fault(error);
    }
}
