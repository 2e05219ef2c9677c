using System.Buffers;
using System.Threading.Channels;
using CoAP.NET.Diagnostics;
using CoAP.NET.Settings;

namespace CoAP.NET.Tracing;

/// <summary>
/// A trace of messages in the pcapng format, which Wireshark reads, created by <see cref="CoapPacketTraceExtensions.TraceTo"/>.
/// </summary>
/// <remarks>
/// Dispose it to end it. Addresses and messages are real; the trace adds the headers of IP and UDP, or TCP. For secured transports it shows
/// the decrypted messages. Thread-safe.
/// </remarks>
public sealed class CoapTrace : IAsyncDisposable, IWireTap
{
    private const int MaxInterfaces = 64;

    // The size of the statistics of an interface at the end of the trace: MaxBytes includes them.
    private const int BytesOfStatistics = 64;

    private readonly Stream _stream;
    private readonly CoapTraceOptions _options;
    private readonly TimeProvider _time;
    private readonly WireTaps _taps;
    private readonly Action<Exception> _report;
    private readonly CoapAddress? _peer;
    private readonly Channel<TracedMessage> _queue =
        Channel.CreateUnbounded<TracedMessage>(new UnboundedChannelOptions { SingleReader = true });
    private readonly TracePacketWriter _format = new();
    private readonly ArrayBufferWriter<byte> _output = new();
    private readonly Lock _gate = new();

    // Guarded by the lock.
    private readonly List<TracedInterface> _interfaces = [];

    private readonly Task _writing;
    private int _described;
    private long _queued;
    private long _messages;
    private long _written;

    internal CoapTrace(Stream stream, CoapTraceOptions options, TimeProvider time, WireTaps taps, Action<Exception> report)
    {
        _stream = stream;
        options.MakeReadOnly("a trace");
        _options = new CoapTraceOptions
        {
            Peer = options.Peer,
            IncludePayload = options.IncludePayload,
            MaxBytes = options.MaxBytes,
            MaxQueuedBytes = options.MaxQueuedBytes
        };
        _time = time;
        _taps = taps;
        _report = report;
        _peer = options.Peer is { } peer ? CoapAddress.FromIPEndPoint(peer) : null;
        TracePacketWriter.Begin(_output);
        taps.Add(this);
        _writing = WriteAsync();
    }

    /// <summary>The number of written messages.</summary>
    public long Messages => Interlocked.Read(ref _messages);

    /// <summary>The number of written bytes.</summary>
    internal long BytesWritten => Interlocked.Read(ref _written);

    /// <summary>The number of omitted messages, because too many were queued or the trace was full.</summary>
    /// <remarks>The statistics at the end of the trace contain the number for each scheme.</remarks>
    public long Dropped
    {
        get
        {
            lock (_gate)
            {
                return _interfaces.Sum(static traced => traced.Dropped);
            }
        }
    }

    /// <summary>Ends the trace: writes queued messages and the statistics, and flushes the stream.</summary>
    /// <remarks>The stream stays open. Another call waits until the first one has completed.</remarks>
    /// <returns>A task that completes when everything is written, or when the stream has failed.</returns>
    public async ValueTask DisposeAsync()
    {
        _taps.Remove(this);
        _queue.Writer.TryComplete();
        await _writing.ConfigureAwait(false);
    }

    void IWireTap.See(ReadOnlySpan<byte> bytes, string scheme, in CoapAddress remote, in CoapAddress local, bool isStream, bool isInbound)
    {
        if (_peer is { } peer && (remote.High != peer.High || remote.Low != peer.Low || (peer.Port != 0 && remote.Port != peer.Port)))
        {
            return;
        }

        long time = (_time.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks;
        int index;
        lock (_gate)
        {
            index = _interfaces.FindIndex(traced => traced.Scheme == scheme);
            if (index < 0)
            {
                if (_interfaces.Count == MaxInterfaces)
                {
                    return;
                }

                index = _interfaces.Count;
                _interfaces.Add(new TracedInterface(scheme));
            }

            _interfaces[index].Received++;
            if (_queued + bytes.Length > _options.MaxQueuedBytes)
            {
                _interfaces[index].Dropped++;
                return;
            }

            _queued += bytes.Length;
        }

        byte[] copy = isStream && scheme.EndsWith("+ws", StringComparison.Ordinal) ? TracePacketWriter.WithLength(bytes) : bytes.ToArray();
        if (!_options.IncludePayload)
        {
            PayloadRedaction.Apply(copy, isStream);
        }

        if (!_queue.Writer.TryWrite(new TracedMessage(copy, time, index, remote, local, isStream, isInbound)))
        {
            Drop(index, bytes.Length);
        }
    }

    private async Task WriteAsync()
    {
        try
        {
            await FlushAsync().ConfigureAwait(false);
            while (await _queue.Reader.WaitToReadAsync().ConfigureAwait(false))
            {
                while (_queue.Reader.TryRead(out TracedMessage message))
                {
                    Take(message);
                    if (_output.WrittenCount > 64 * 1024)
                    {
                        await FlushAsync().ConfigureAwait(false);
                    }
                }

                await FlushAsync().ConfigureAwait(false);
            }

            WriteStatistics();
            await FlushAsync().ConfigureAwait(false);
            await _stream.FlushAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // a stream may throw anything; it ends the trace and nothing else
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _taps.Remove(this);
            _queue.Writer.TryComplete();
            _report(exception);
        }
    }

    private void Take(in TracedMessage message)
    {
        Describe();
        int before = _output.WrittenCount;
        _format.Write(_output, message);
        long size = _written + _output.WrittenCount + (BytesOfStatistics * _described);
        if (size > _options.MaxBytes)
        {
            // Removes the message that is over the limit.
            byte[] kept = _output.WrittenSpan[..before].ToArray();
            _output.ResetWrittenCount();
            _output.Write(kept);
            Drop(message.Interface, message.Bytes.Length);
            return;
        }

        Interlocked.Increment(ref _messages);
        lock (_gate)
        {
            _queued -= message.Bytes.Length;
        }
    }

    private void Drop(int index, int length)
    {
        lock (_gate)
        {
            _interfaces[index].Dropped++;
            _queued -= length;
        }
    }

    private void Describe()
    {
        lock (_gate)
        {
            for (; _described < _interfaces.Count; _described++)
            {
                string scheme = _interfaces[_described].Scheme;
                PcapngBlocks.WriteInterface(_output, scheme,
                    _options.IncludePayload ? $"Messages of {scheme}" : $"Messages of {scheme}, payloads blanked");
            }
        }
    }

    private void WriteStatistics()
    {
        Describe();
        long time = (_time.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks;
        lock (_gate)
        {
            for (int i = 0; i < _interfaces.Count; i++)
            {
                PcapngBlocks.WriteStatistics(_output, i, time, _interfaces[i].Received, _interfaces[i].Dropped);
            }
        }
    }

    private async Task FlushAsync()
    {
        if (_output.WrittenCount > 0)
        {
            await _stream.WriteAsync(_output.WrittenMemory).ConfigureAwait(false);
            Interlocked.Add(ref _written, _output.WrittenCount);
            _output.ResetWrittenCount();
        }
    }

    // The messages of one scheme: an interface of the pcapng file.
    private sealed class TracedInterface(string scheme)
    {
        public string Scheme => scheme;

        public long Received { get; set; }

        public long Dropped { get; set; }
    }
}
