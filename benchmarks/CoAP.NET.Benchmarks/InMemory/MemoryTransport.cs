using System.Diagnostics;
using CoAP.NET.Transports;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// Datagrams in memory instead of a socket. <see cref="Deliver"/> runs the pipeline as a receive loop does: on a buffer of the loop's own that is lent and taken back,
/// with the clock driven by the loop. What the endpoint sends goes to <see cref="Sent"/> on the same thread.
/// </summary>
internal sealed class MemoryTransport(CoapAddress local) : CoapTransport
{
    private readonly CoapDatagramPool _pool = new(2048, pinned: true);
    private CoapTransportContext? _context;
    private CoapDatagram? _slot;
    private long _dueAt;

    /// <summary>Gets what the endpoint sends, and must be done with it when it returns.</summary>
    public Action<ReadOnlySpan<byte>, CoapAddress>? Sent { get; set; }

    public override string Scheme => "coap";

    public override bool DrivesClock => true;

    public override IReadOnlyList<CoapAddress> LocalAddresses { get; } = [local];

    public override ValueTask StartAsync(CoapTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        _slot = _pool.Rent();
        return ValueTask.CompletedTask;
    }

    /// <summary>Hands a datagram in. The pipeline and user code that does not await have run when it returns.</summary>
    public void Deliver(ReadOnlySpan<byte> bytes, CoapAddress remote)
    {
        if (!_slot!.TryTakeBack())
        {
            _slot = _pool.Rent();
        }

        CoapDatagram datagram = _slot;
        bytes.CopyTo(datagram.Buffer);
        datagram.Length = bytes.Length;
        datagram.IsTruncated = false;
        datagram.Remote = remote;
        datagram.Local = LocalAddresses[0];
        datagram.Transport = this;
        datagram.Lend();
        _context!.Receive(datagram);
    }

    /// <summary>Runs what is due by the clock, as a receive loop does between its batches.</summary>
    public void Tick()
    {
        long now = _context!.TimeProvider.GetTimestamp();
        if (now >= Volatile.Read(ref _dueAt))
        {
            Volatile.Write(ref _dueAt, long.MaxValue);
            TimeSpan wait = _context.Tick();
            if (wait != Timeout.InfiniteTimeSpan)
            {
                _dueAt = Math.Min(_dueAt, now + wait.Ticks);
            }
        }
    }

    public override void Wake() => Volatile.Write(ref _dueAt, 0);

    public override void Send(CoapDatagram datagram)
    {
        Debug.Assert(datagram.Length > 0);
        Sent?.Invoke(datagram.Span, datagram.Remote);
        datagram.Dispose();
    }

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
