using CoAP.NET.Testing;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Testing;

/// <summary>An endpoint that only writes down what its transport tells it.</summary>
internal sealed class RecordingContext(TimeProvider time) : CoapTransportContext
{
    public override TimeProvider TimeProvider { get; } = time;

    public override CoapRandomSource Random { get; } = new VirtualRandom(1);

    public override CoapLimits Limits { get; } = new();

    public override CoapCounters Counters { get; } = new();

    public override ILogger Logger => NullLogger.Instance;

    public override int ShardCount => 1;

    public override CoapScheduler Scheduler { get; } = new VirtualScheduler();

    public List<(string Hex, CoapAddress Remote, CoapAddress Local, bool Truncated)> Received { get; } = [];

    public List<(CoapAddress Remote, CoapAddress Local, string Quoted)> Unreachable { get; } = [];

    public List<(int Length, Exception Error)> Failed { get; } = [];

    /// <summary>What the endpoint does with a datagram, before it is given back.</summary>
    public Action<CoapDatagram>? OnReceive { get; set; }

    public override void Receive(CoapDatagram datagram)
    {
        Received.Add((Wire.Hex(datagram.Span), datagram.Remote, datagram.Local, datagram.IsTruncated));
        OnReceive?.Invoke(datagram);
        datagram.Dispose();
    }

    public override int ShardOf(CoapAddress remote) => 0;

    public override void SendFailed(CoapDatagram datagram, Exception error) => Failed.Add((datagram.Length, error));

    public override void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted) =>
        Unreachable.Add((remote, local, Wire.Hex(quoted)));

    public override TimeSpan Tick() => Timeout.InfiniteTimeSpan;

    /// <summary>Sends bytes through a transport as an endpoint does.</summary>
    public static void Send(CoapTransport transport, CoapAddress to, string hex)
    {
        byte[] bytes = Wire.Hex(hex);
        CoapDatagram datagram = new(bytes.Length) { Length = bytes.Length, Remote = to };
        bytes.CopyTo(datagram.Buffer, 0);
        transport.Send(datagram);
    }
}
