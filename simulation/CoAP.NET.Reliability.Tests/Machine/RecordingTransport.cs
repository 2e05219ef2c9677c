using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Reliability.Tests.Machine;

/// <summary>A transport whose sockets are a list: what is sent is kept, or refused as an operating system does.</summary>
internal sealed class RecordingTransport : CoapDatagramTransport
{
    private readonly List<byte[]> _sent = [];
    private ICoapDatagramTransportContext? _context;
    private int _asked;

    /// <summary>What the operating system says to each datagram; null: it takes it.</summary>
    public SocketError? Refuses { get; set; }

    /// <summary>Whether the addresses that datagrams leave from are this machine's at the moment.</summary>
    public bool HasAddress { get; set; } = true;

    public override string Scheme => "coap";

    public override IReadOnlyList<CoapAddress> LocalAddresses => [CoapAddress.FromIPv4(0, 5683)];

    public byte[][] Sent
    {
        get
        {
            lock (_sent)
            {
                return [.. _sent];
            }
        }
    }

    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        return ValueTask.CompletedTask;
    }

    /// <summary>Has a peer's datagram arrive.</summary>
    public void Receive(IPEndPoint from, params ReadOnlySpan<byte> bytes)
    {
        CoapDatagram datagram = new(bytes.Length)
        {
            Length = bytes.Length,
            Remote = CoapAddress.FromIPEndPoint(from),
            Local = CoapAddress.FromIPv4(0xc0000201, 5683),
            Transport = this
        };
        bytes.CopyTo(datagram.Buffer);
        _context!.Receive(datagram);
    }

    public override void Send(CoapDatagram datagram)
    {
        lock (_sent)
        {
            _sent.Add(datagram.Span.ToArray());
        }

        if (Refuses is { } error)
        {
            _context!.SendFailed(datagram, new SocketException((int)error));
        }

        datagram.Dispose();
    }

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;

    // The first to ask is whoever chooses the address, before it went away.
    public override bool IsOurs(IPAddress address) => HasAddress || Interlocked.Increment(ref _asked) == 1;
}
