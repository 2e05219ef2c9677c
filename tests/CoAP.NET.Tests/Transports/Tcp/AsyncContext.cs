using System.Collections.Concurrent;
using System.Threading.Channels;
using CoAP.NET.Diagnostics;
using CoAP.NET.Serialization;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Transports.Tcp;

/// <summary>Stands for an endpoint: records what connections report, and gives frames to a delegate on the thread that read them.</summary>
internal sealed class AsyncContext : ICoapStreamTransportContext
{
    private readonly Channel<string> _received = Channel.CreateUnbounded<string>();
    private readonly Channel<CoapConnection> _opened = Channel.CreateUnbounded<CoapConnection>();
    private readonly Channel<(CoapConnection Connection, Exception? Error)> _closed =
        Channel.CreateUnbounded<(CoapConnection, Exception?)>();
    private readonly Channel<CoapConnection> _ended = Channel.CreateUnbounded<CoapConnection>();
    private readonly Channel<CoapConnection> _writable = Channel.CreateUnbounded<CoapConnection>();
    private int _assembly;
    private int _closes;

    /// <summary>What is done with a frame besides writing it down; it may dispose it or not.</summary>
    public Action<CoapDatagram>? OnReceive { get; set; }

    /// <summary>Whether connections are taken.</summary>
    public bool TakesConnections { get; set; } = true;

    /// <summary>How much memory there is for unfinished frames.</summary>
    public int AssemblyLimit { get; set; } = int.MaxValue;

    public int Assembly => Volatile.Read(ref _assembly);

    /// <summary>How often a connection was said to have ended.</summary>
    public int Closes => Volatile.Read(ref _closes);

    public TimeProvider Time { get; init; } = TimeProvider.System;

    public ILogger Log { get; init; } = NullLogger.Instance;

    public TimeProvider TimeProvider => Time;

    public CoapRandomSource Random => CoapRandomSource.Secure;

    public CoapLimits Limits { get; } = new();

    /// <summary>Why the transport could receive nothing any more, each time that it said so.</summary>
    public ConcurrentBag<CoapException> Faults { get; } = [];

    public CoapSourceGroupingRule Sources => CoapSourceGroupingRule.Default;

    public bool IsStopping => false;

    public CoapCounters Counters { get; } = new();

    public void Count(CoapCounter counter, long by = 1) => Counters.Add(counter, by);

    public ILogger Logger => GuardedLogger.Guard(Log, Counters);

    public int ShardCount => 1;

    public CoapThreadScheduler Scheduler => CoapThreadScheduler.Default;

    /// <summary>The next frame, as hexadecimal digits.</summary>
    public Task<string> NextFrameAsync() => Within(_received);

    public Task<CoapConnection> NextOpenedAsync() => Within(_opened);

    public Task<(CoapConnection Connection, Exception? Error)> NextClosedAsync() => Within(_closed);

    /// <summary>The next connection whose peer ended its side.</summary>
    public Task<CoapConnection> NextEndedAsync() => Within(_ended);

    public Task<CoapConnection> NextWritableAsync() => Within(_writable);

    public bool TryTakeFrame(out string? frame) => _received.Reader.TryRead(out frame);

    /// <summary>A frame to send.</summary>
    public static CoapDatagram Frame(byte[] bytes, bool isLast = false)
    {
        CoapDatagram frame = new(bytes.Length) { Length = bytes.Length, IsLast = isLast };
        bytes.CopyTo(frame.Buffer, 0);
        return frame;
    }

    public static CoapDatagram Frame(string hex, bool isLast = false) => Frame(Wire.Hex(hex), isLast);

    public bool Opened(CoapConnection connection) => TakesConnections && _opened.Writer.TryWrite(connection);

    public long MeasureFrame(CoapConnection connection, ReadOnlySpan<byte> first, long available) =>
        CoapStreamSerializer.Default.TryReadHead(first, available, out MessageHead head, out CoapFormatError error) ? head.Length
            : error.IsNone ? 0 : -1;

    public void Refuse(CoapConnection connection, string reason) => connection.Close(null);

    public void BacklogChanged(CoapConnection connection)
    {
    }

    public void Fault(CoapException error) => Faults.Add(error);

    public void Receive(CoapDatagram datagram)
    {
        Action<CoapDatagram>? then = OnReceive;
        string hex = Wire.Hex(datagram.Span);
        if (then is null)
        {
            datagram.Dispose();
        }
        else
        {
            then(datagram);
        }

        _received.Writer.TryWrite(hex);
    }

    public bool TryReserveAssembly(CoapConnection connection, int bytes)
    {
        if (Interlocked.Add(ref _assembly, bytes) <= AssemblyLimit)
        {
            return true;
        }

        Interlocked.Add(ref _assembly, -bytes);
        return false;
    }

    public void ReleaseAssembly(CoapConnection connection, int bytes) => Interlocked.Add(ref _assembly, -bytes);

    public void CongestionEnded(CoapConnection connection) => _writable.Writer.TryWrite(connection);

    public void ReceiveEnded(CoapConnection connection) => _ended.Writer.TryWrite(connection);

    public void Closed(CoapConnection connection, Exception? error)
    {
        Interlocked.Increment(ref _closes);
        _closed.Writer.TryWrite((connection, error));
    }

    public int ShardOf(CoapAddress remote) => 0;

    public TimeSpan Tick() => Timeout.InfiniteTimeSpan;

    private static Task<T> Within<T>(Channel<T> channel) => channel.Reader.ReadAsync().AsTask().WaitAsync(FromMinutes(2));
}
