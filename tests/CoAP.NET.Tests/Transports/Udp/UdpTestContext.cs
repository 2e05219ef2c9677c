using System.Collections.Concurrent;
using System.Net.Sockets;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>Stands for an endpoint: what is received goes to a delegate, on the thread that received it.</summary>
internal sealed class UdpTestContext : CoapTransportContext
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

    public override TimeProvider TimeProvider => Time;

    public override CoapRandomSource Random => CoapRandomSource.Secure;

    public override CoapLimits Limits => _limits;

    public override CoapCounters Counters { get; } = new();

    public override ILogger Logger => NullLogger.Instance;

    public override int ShardCount => Shards;

    public override CoapScheduler Scheduler => Threads;

    public override void Receive(CoapDatagram datagram) => OnReceive(datagram);

    public override int ShardOf(CoapAddress remote) => (int)((uint)remote.GetHashCode() % (uint)Shards);

    public override void SendFailed(CoapDatagram datagram, Exception error) =>
        Failures.Add((datagram.Remote, datagram.Local, datagram.Span.ToArray(), ((SocketException)error).SocketErrorCode));

    public override void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted) =>
        Unreachable.Add((remote, local, quoted.ToArray()));

    public override TimeSpan Tick() => OnTick();

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
        string text = System.Text.Encoding.ASCII.GetString(datagram.Span);
        datagram.Dispose();
        UserCode.Enter();
        try
        {
            handler(text);
        }
        finally
        {
            UserCode.Exit();
        }

        transport.Send(reply);
    };
}
