namespace CoAP.NET.Benchmarks;

/// <summary>
/// Datagrams in memory instead of a socket. <see cref="Deliver"/> runs the pipeline as a receive loop does: on a buffer of the loop's own
/// that is lent and taken back, with the clock driven by the loop. What the endpoint sends goes to <see cref="Sent"/> on the same thread.
/// </summary>
internal sealed class MemoryTransport(CoapAddress local) : CoapDatagramTransport
{
    private readonly CoapDatagramPool _pool = new(2048, pinned: true);
    private ICoapDatagramTransportContext? _context;
    private CoapDatagram? _slot;

    /// <summary>Gets what the endpoint sends with the two addresses, the peer's first, and must be done with it when it returns.</summary>
    public Action<ReadOnlySpan<byte>, CoapAddress>? Sent { get; set; }

    public LoopTime Time { get; } = new();

    public override string Scheme => "coap";

    public override bool DrivesClock => true;

    public override IReadOnlyList<CoapAddress> LocalAddresses { get; } = [local];

    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        Time.Start(context);
        _slot = _pool.Rent();
        _slot.Lend();
        _slot.Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>Hands a datagram in. The pipeline, and user code that does not await, have run when it returns.</summary>
    public void Deliver(ReadOnlySpan<byte> bytes, CoapAddress remote)
    {
        CoapDatagram datagram = _slot!;
        if (!datagram.TryTakeBack())
        {
            // Somebody keeps it, so it is his, as in a receive loop.
            datagram = _slot = _pool.Rent();
        }

        bytes.CopyTo(datagram.Buffer);
        datagram.Length = bytes.Length;
        datagram.IsTruncated = false;
        datagram.Remote = remote;
        datagram.Local = local;
        datagram.Transport = this;
        datagram.Lend();
        _context!.Receive(datagram);
    }

    public override void Wake() => Time.Wake();

    public override void Send(CoapDatagram datagram)
    {
        Sent?.Invoke(datagram.Span, datagram.Remote);
        datagram.Dispose();
    }

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
