namespace CoAP.NET.Tests.Endpoints;

/// <summary>A transport without sockets: tests hand datagrams in on their own thread and see what comes out.</summary>
internal sealed class DirectTransport : CoapDatagramTransport
{
    public static readonly CoapAddress Local = CoapAddress.FromIPv4(0x7f000001, 5683);

    private readonly Lock _gate = new();
    private readonly List<(CoapAddress Remote, byte[] Bytes)> _sent = [];
    private ICoapDatagramTransportContext? _context;

    public override string Scheme => "coap";

    public override bool IsSecure => IsProtected;

    /// <summary>What <see cref="IsSecure"/> says.</summary>
    public bool IsProtected { get; set; }

    public override IReadOnlyList<CoapAddress> LocalAddresses => [Local];

    /// <summary>
    /// Called with each datagram that leaves, after it was stored: whoever awaits this call finds the datagram, and nothing is stored later
    /// that a test would take for another one.
    /// </summary>
    public Action<CoapAddress, byte[]>? OnSent { get; set; }

    /// <summary>Whether what leaves is not even copied, for tests that count allocations.</summary>
    public bool Discards { get; set; }

    public ICoapDatagramTransportContext Context => _context ?? throw new InvalidOperationException("not started");

    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        return ValueTask.CompletedTask;
    }

    public override void Send(CoapDatagram datagram)
    {
        if (Discards)
        {
            datagram.Dispose();
            return;
        }

        byte[] bytes = datagram.Span.ToArray();
        CoapAddress remote = datagram.Remote;
        datagram.Dispose();
        lock (_gate)
        {
            _sent.Add((remote, bytes));
        }

        OnSent?.Invoke(remote, bytes);
    }

    /// <summary>Hands a datagram in, as if it came from a socket.</summary>
    public void Receive(CoapAddress remote, ReadOnlySpan<byte> bytes, CoapAddress? local = null, bool isTruncated = false)
    {
        CoapDatagram datagram = new(bytes.Length)
        {
            Length = bytes.Length,
            Remote = remote,
            Local = local ?? Local,
            Transport = this,
            IsTruncated = isTruncated
        };
        bytes.CopyTo(datagram.Buffer);
        Context.Receive(datagram);
    }

    public void Receive(CoapAddress remote, string hex, CoapAddress? local = null) => Receive(remote, Wire.Hex(hex), local);

    /// <summary>Asserts that these datagrams left so far, and takes them out.</summary>
    public void HasSent(params string[] all) => Assert.Equal(all, TakeSent());

    public void HasSentNothing() => Assert.Empty(TakeSent());

    /// <summary>Everything that left so far, as hexadecimal digits; taken out.</summary>
    public string[] TakeSent()
    {
        lock (_gate)
        {
            string[] all = [.. _sent.Select(item => Wire.Hex(item.Bytes))];
            _sent.Clear();
            return all;
        }
    }

    public List<(CoapAddress Remote, byte[] Bytes)> TakeAll()
    {
        lock (_gate)
        {
            List<(CoapAddress, byte[])> all = [.. _sent];
            _sent.Clear();
            return all;
        }
    }

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
