namespace CoAP.NET.Simulation.Attack;

/// <summary>
/// A transport without a network, so that a datagram costs what the library makes of it: whoever attacks hands datagrams in, from any
/// address, and sees on the same thread what comes out.
/// </summary>
/// <param name="local">The address of the endpoint.</param>
internal sealed class AttackWire(CoapAddress local) : CoapDatagramTransport
{
    private readonly Lock _gate = new();
    private CoapDatagramPool? _pool;
    private ICoapDatagramTransportContext? _context;

    /// <summary>Sees what leaves, one datagram at a time.</summary>
    public delegate void Sink(in CoapAddress to, ReadOnlySpan<byte> bytes);

    public override string Scheme => "coap";

    public override IReadOnlyList<CoapAddress> LocalAddresses => [local];

    public Sink? Sent { get; set; }

    /// <summary>Datagrams that left, and their bytes.</summary>
    public long Datagrams { get; private set; }

    /// <summary>See <see cref="Datagrams"/>.</summary>
    public long Bytes { get; private set; }

    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        _pool = new CoapDatagramPool(context.Limits.Messages.MaxDatagramSize);
        return ValueTask.CompletedTask;
    }

    public override void Send(CoapDatagram datagram)
    {
        // Handlers that await send from threads of their own.
        lock (_gate)
        {
            Datagrams++;
            Bytes += datagram.Length;
            Sent?.Invoke(datagram.Remote, datagram.Span);
        }

        datagram.Dispose();
    }

    /// <summary>Hands a datagram in.</summary>
    /// <param name="from">The address that stands in it.</param>
    /// <param name="bytes">What it says.</param>
    /// <param name="to">The address that it was sent to, such as that of a group; by default our own.</param>
    public void Receive(in CoapAddress from, ReadOnlySpan<byte> bytes, in CoapAddress to = default)
    {
        CoapDatagram datagram = _pool!.Rent();
        datagram.Length = Math.Min(bytes.Length, datagram.Buffer.Length);
        datagram.IsTruncated = bytes.Length > datagram.Length;
        datagram.Remote = from;
        datagram.Local = to == default ? local : to;
        datagram.Transport = this;
        bytes[..datagram.Length].CopyTo(datagram.Buffer);
        _context!.Receive(datagram);
    }

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
