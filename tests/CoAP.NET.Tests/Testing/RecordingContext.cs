using System.Collections.Concurrent;
using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Testing;

/// <summary>An endpoint that only writes down what its transport tells it.</summary>
internal sealed class RecordingContext(TimeProvider time) : ICoapDatagramTransportContext
{
    public TimeProvider TimeProvider { get; } = time;

    public CoapRandomSource Random { get; } = new VirtualRandom(1);

    public CoapLimits Limits { get; } = new();

    /// <summary>Why the transport could receive nothing any more, each time that it said so.</summary>
    public ConcurrentBag<CoapException> Faults { get; } = [];

    public CoapSourceGroupingRule Sources => CoapSourceGroupingRule.Default;

    public bool IsStopping => false;

    public CoapCounters Counters { get; } = new();

    public void Count(CoapCounter counter, long by = 1) => Counters.Add(counter, by);

    public ILogger Logger => NullLogger.Instance;

    public int ShardCount => 1;

    public CoapThreadScheduler Scheduler { get; } = new VirtualScheduler();

    public List<(string Hex, CoapAddress Remote, CoapAddress Local, bool Truncated)> Received { get; } = [];

    public List<(CoapAddress Remote, CoapAddress Local, string Quoted)> Unreachable { get; } = [];

    public List<(int Length, Exception Error)> Failed { get; } = [];

    /// <summary>What the endpoint does with a datagram, before it is given back.</summary>
    public Action<CoapDatagram>? OnReceive { get; set; }

    public void Fault(CoapException error) => Faults.Add(error);

    public void Receive(CoapDatagram datagram)
    {
        Received.Add((Wire.Hex(datagram.Span), datagram.Remote, datagram.Local, datagram.IsTruncated));
        OnReceive?.Invoke(datagram);
        datagram.Dispose();
    }

    public int ShardOf(CoapAddress remote) => 0;

    public void SendFailed(CoapDatagram datagram, Exception error) => Failed.Add((datagram.Length, error));

    public void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted) =>
        Unreachable.Add((remote, local, Wire.Hex(quoted)));

    public TimeSpan Tick() => Timeout.InfiniteTimeSpan;

    /// <summary>Sends bytes through a transport as an endpoint does.</summary>
    public static void Send(CoapTransport transport, CoapAddress to, string hex)
    {
        byte[] bytes = Wire.Hex(hex);
        CoapDatagram datagram = new(bytes.Length) { Length = bytes.Length, Remote = to };
        bytes.CopyTo(datagram.Buffer, 0);
        transport.Send(datagram);
    }
}
