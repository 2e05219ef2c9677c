using System.Collections.Concurrent;
using System.Threading.Channels;
using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using CoAP.NET.Serialization;
using CoAP.NET.Tests.Transports.Udp;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

/// <summary>Stands for an endpoint: frames go to a delegate, on the thread that read them.</summary>
internal sealed class LoopTestContext : ICoapStreamTransportContext, ICoapDatagramTransportContext, IDatagramPrefetchContext
{
    private readonly CoapStreamSerializer _streams =
        new(new CoapSerializerOptions { MaxMessageSize = 4 << 20, MaxTokenLength = CoapToken.MaxExtendedLength });
    private readonly ConcurrentDictionary<CoapAddress, CoapConnection> _byRemote = new();
    private long _assembly;

    /// <summary>Called with each frame; default: it is sent back.</summary>
    public Action<CoapConnection, CoapDatagram> OnFrame { get; set; } = Echo;

    public Func<CoapConnection, bool> OnOpened { get; set; } = static _ => true;

    public Action<CoapConnection> OnWritable { get; set; } = static _ => { };

    public Action<CoapConnection> OnReceiveEnded { get; set; } = static connection => connection.Close(null);

    public Action<CoapConnection> OnClosed { get; set; } = static _ => { };

    public Func<TimeSpan> OnTick { get; set; } = static () => Timeout.InfiniteTimeSpan;

    public CountingScheduler Threads { get; init; } = new();

    public TimeProvider Time { get; init; } = TimeProvider.System;

    public int Shards { get; init; } = 1;

    /// <summary>The connections that were opened, in order.</summary>
    public Channel<CoapConnection> OpenedOnes { get; } = Channel.CreateUnbounded<CoapConnection>();

    /// <summary>Those that ended, in order.</summary>
    public Channel<(CoapConnection Connection, Exception? Error)> ClosedOnes { get; } =
    Channel.CreateUnbounded<(CoapConnection, Exception?)>();

    public long Assembly => Volatile.Read(ref _assembly);

    public TimeProvider TimeProvider => Time;

    public CoapRandomSource Random => CoapRandomSource.Secure;

    public CoapLimits Limits { get; } = new();

    /// <summary>Why the transport could receive nothing any more, each time that it said so.</summary>
    public ConcurrentBag<CoapException> Faults { get; } = [];

    public CoapSourceGroupingRule Sources => CoapSourceGroupingRule.Default;

    public bool IsStopping => false;

    public CoapCounters Counters { get; } = new();

    public void Count(CoapCounter counter, long by = 1) => Counters.Add(counter, by);

    public ILogger Log { get; init; } = NullLogger.Instance;

    public ILogger Logger => Log;

    public int ShardCount => Shards;

    public CoapThreadScheduler Scheduler => Threads;

    /// <summary>Sends a copy of a frame back.</summary>
    public static void Echo(CoapConnection connection, CoapDatagram frame)
    {
        CoapDatagram copy = Copy(frame.Span);
        frame.Dispose();
        connection.Send(copy);
    }

    public static CoapDatagram Copy(ReadOnlySpan<byte> bytes, bool isLast = false)
    {
        CoapDatagram frame = new(bytes.Length) { Length = bytes.Length, IsLast = isLast };
        bytes.CopyTo(frame.Buffer);
        return frame;
    }

    /// <summary>An echo whose handler is user code; it gets the third byte of the frame.</summary>
    public static Action<CoapConnection, CoapDatagram> EchoAfter(Action<byte> handler) => (connection, frame) =>
    {
        CoapDatagram copy = Copy(frame.Span);
        byte what = frame.Span[2];
        frame.Dispose();
        UserCodeScope.Enter();
        try
        {
            handler(what);
        }
        finally
        {
            UserCodeScope.Exit();
        }

        connection.Send(copy);
    };

    public int ShardOf(CoapAddress remote) => (int)((((uint)remote.Port * 2_654_435_761) >> 16) % (uint)Shards);

    public TimeSpan Tick() => OnTick();

    public bool Opened(CoapConnection connection)
    {
        if (!OnOpened(connection))
        {
            return false;
        }

        _byRemote[connection.Remote] = connection;
        OpenedOnes.Writer.TryWrite(connection);
        return true;
    }

    public long MeasureFrame(CoapConnection connection, ReadOnlySpan<byte> first, long available)
    {
        if (_streams.TryReadHead(first, available, out MessageHead head, out CoapFormatError error))
        {
            return head.Length;
        }

        if (error.IsNone)
        {
            return 0;
        }

        connection.Send(Copy(Wire.Hex("00e5"), isLast: true));
        return -1;
    }

    public bool TryReserveAssembly(CoapConnection connection, int bytes)
    {
        if (Interlocked.Add(ref _assembly, bytes) <= Limits.Connections.ReceiveMemory)
        {
            return true;
        }

        Interlocked.Add(ref _assembly, -bytes);
        return false;
    }

    public void ReleaseAssembly(CoapConnection connection, int bytes) => Interlocked.Add(ref _assembly, -bytes);

    public void Refuse(CoapConnection connection, string reason) => connection.Close(null);

    public void BacklogChanged(CoapConnection connection)
    {
    }

    public void Expect(ReadOnlySpan<CoapDatagram> datagrams)
    {
    }

    public void SendFailed(CoapDatagram datagram, Exception error) => throw new NotSupportedException();

    public void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted) => throw new NotSupportedException();

    public void Fault(CoapException error) => Faults.Add(error);

    public void Receive(CoapDatagram datagram) => OnFrame(_byRemote[datagram.Remote], datagram);

    public void CongestionEnded(CoapConnection connection) => OnWritable(connection);

    public void ReceiveEnded(CoapConnection connection) => OnReceiveEnded(connection);

    public void Closed(CoapConnection connection, Exception? error)
    {
        ClosedOnes.Writer.TryWrite((connection, error));
        OnClosed(connection);
    }
}
