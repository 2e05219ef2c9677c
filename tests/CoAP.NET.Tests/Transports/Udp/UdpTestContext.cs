using System.Collections.Concurrent;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>Stands for an endpoint: what is received goes to a delegate, on the thread that received it.</summary>
internal sealed class UdpTestContext : ICoapDatagramTransportContext, IDatagramPrefetchContext
{
    private readonly CoapLimits _limits = new();

    public UdpTestContext(Action<CoapDatagram>? onReceive = null) => OnReceive = onReceive ?? (static datagram => datagram.Dispose());

    public Action<CoapDatagram> OnReceive { get; set; }

    public Func<TimeSpan> OnTick { get; set; } = static () => Timeout.InfiniteTimeSpan;

    public CountingScheduler Threads { get; init; } = new();

    public TimeProvider Time { get; init; } = TimeProvider.System;

    public int Shards { get; init; } = 1;

    public BlockingCollection<(CoapAddress Remote, CoapAddress Local, byte[] Data, SocketError Error)> Failures { get; } = [];

    public BlockingCollection<(CoapAddress Remote, CoapAddress Local, byte[] Quoted)> Unreachable { get; } = [];

    public TimeProvider TimeProvider => Time;

    public CoapRandomSource Random => CoapRandomSource.Secure;

    public CoapLimits Limits => _limits;

    /// <summary>Why the transport could receive nothing any more, each time that it said so.</summary>
    public ConcurrentBag<CoapException> Faults { get; } = [];

    public CoapSourceGroupingRule Sources => CoapSourceGroupingRule.Default;

    public bool IsStopping => false;

    public CoapCounters Counters { get; } = new();

    public void Count(CoapCounter counter, long by = 1) => Counters.Add(counter, by);

    public ILogger Logger { get; init; } = NullLogger.Instance;

    public int ShardCount => Shards;

    public CoapThreadScheduler Scheduler => Threads;

    public void Expect(ReadOnlySpan<CoapDatagram> datagrams)
    {
    }

    public void Fault(CoapException error) => Faults.Add(error);

    public void Receive(CoapDatagram datagram) => OnReceive(datagram);

    public int ShardOf(CoapAddress remote) => (int)((uint)remote.GetHashCode() % (uint)Shards);

    public void SendFailed(CoapDatagram datagram, Exception error) =>
        Failures.Add((datagram.Remote, datagram.Local, datagram.Span.ToArray(), ((SocketException)error).SocketErrorCode));

    public void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted) =>
        Unreachable.Add((remote, local, quoted.ToArray()));

    public TimeSpan Tick() => OnTick();

    /// <summary>A datagram that answers another one.</summary>
    public static CoapDatagram Reply(CoapDatagram to, ReadOnlySpan<byte> bytes)
    {
        CoapDatagram reply = To(to.Remote, bytes);
        reply.Local = to.Local;
        reply.TransportTag = to.TransportTag;
        return reply;
    }

    public static CoapDatagram To(CoapAddress remote, ReadOnlySpan<byte> bytes)
    {
        CoapDatagram datagram = new(bytes.Length) { Length = bytes.Length, Remote = remote };
        bytes.CopyTo(datagram.Buffer);
        return datagram;
    }

    /// <summary>Sends a datagram back where it came from and gives it back.</summary>
    public static void Echo(CoapDatagram datagram)
    {
        CoapTransport transport = datagram.Transport!;
        CoapDatagram reply = Reply(datagram, datagram.Span);
        datagram.Dispose();
        transport.Send(reply);
    }

    /// <summary>An echo whose handler is user code.</summary>
    public static Action<CoapDatagram> EchoAfter(Action<string> handler) => datagram =>
    {
        CoapTransport transport = datagram.Transport!;
        CoapDatagram reply = Reply(datagram, datagram.Span);
        string text = Encoding.ASCII.GetString(datagram.Span);
        datagram.Dispose();
        UserCodeScope.Enter();
        try
        {
            handler(text);
        }
        finally
        {
            UserCodeScope.Exit();
        }

        transport.Send(reply);
    };
}
