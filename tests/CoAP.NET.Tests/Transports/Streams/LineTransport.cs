using System.Buffers;
using System.IO.Pipelines;
using System.Threading.Channels;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>CoAP with the framing of RFC 8323 over one byte stream, such as a serial line: the example of docs/streams.md.</summary>
/// <param name="line">The stream; disposed with the transport.</param>
public sealed class LineTransport(Stream line) : CoapStreamTransport
{
    private LineConnection? _connection;

    public override string Scheme => "coap+tcp";

    public override IReadOnlyList<CoapAddress> LocalAddresses => [];

    public override ValueTask StartAsync(ICoapStreamTransportContext context, CancellationToken cancellationToken)
    {
        LineConnection connection = new(this, line, context);
        if (context.Opened(connection))
        {
            _connection = connection;
            connection.Start();
        }

        return ValueTask.CompletedTask;
    }

    public override ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken) =>
        throw new CoapConnectionException(CoapError.ConnectFailed, "A line is there, or it is not; nobody connects to it.");

    public override async ValueTask DisposeAsync()
    {
        _connection?.Close(null);
        await (_connection?.Completion ?? Task.CompletedTask);
        await line.DisposeAsync();
    }
}

/// <summary>The one connection of a line.</summary>
internal sealed class LineConnection(LineTransport transport, Stream line, ICoapStreamTransportContext context)
    : CoapConnection(transport, default, default, isInitiator: false)
{
    private readonly Lock _gate = new();
    private readonly Channel<CoapDatagram> _toSend =
        System.Threading.Channels.Channel.CreateUnbounded<CoapDatagram>(new UnboundedChannelOptions { SingleReader = true });
    private readonly CancellationTokenSource _end = new();
    private TaskCompletionSource _mayRead = new(RunContinuationsAsynchronously);
    private CoapException? _reason;
    private int _pauses;
    private bool _isCongested;
    private long _frames;
    private long _partial;
    private long _sent;
    private long _waiting;

    public Task Completion { get; private set; } = Task.CompletedTask;

    public override bool IsCongested => Volatile.Read(ref _isCongested);

    public override CoapConnectionTransferProgress Progress =>
        new(Volatile.Read(ref _frames), Volatile.Read(ref _partial), Volatile.Read(ref _sent), Volatile.Read(ref _waiting));

    public void Start()
    {
        _mayRead.SetResult();
        Completion = RunAsync();
    }

    public override void Send(CoapDatagram frame)
    {
        long waiting = Interlocked.Add(ref _waiting, frame.Length);
        if (waiting - frame.Length > context.Limits.Connections.MaxSendQueueSize)
        {
            Close(new CoapConnectionException(CoapError.TooSlow, "The line takes nothing."));
        }
        else if (waiting > context.Limits.Connections.SendQueueSize && !Interlocked.Exchange(ref _isCongested, true))
        {
            PauseReading();
        }

        if (!_toSend.Writer.TryWrite(frame))
        {
            frame.Dispose();
        }
    }

    public override void PauseReading()
    {
        lock (_gate)
        {
            if (_pauses++ == 0)
            {
                _mayRead = new TaskCompletionSource(RunContinuationsAsynchronously);
            }
        }
    }

    public override void ResumeReading()
    {
        lock (_gate)
        {
            if (--_pauses == 0)
            {
                _mayRead.SetResult();
            }
        }
    }

    public override void Close(CoapException? reason)
    {
        Interlocked.CompareExchange(ref _reason, reason, null);
        _end.Cancel();
    }

    private async Task RunAsync()
    {
        Task[] both = [ReadAsync(_end.Token), WriteAsync(_end.Token)];
        Exception? error = null;
        try
        {
            await await Task.WhenAny(both);
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            error = exception as IOException;
        }

        await _end.CancelAsync();
        await Task.WhenAll(both).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _toSend.Writer.Complete();
        while (_toSend.Reader.TryRead(out CoapDatagram? left))
        {
            left.Dispose();
        }

        context.Closed(this, _reason ?? error);
    }

    private async Task ReadAsync(CancellationToken cancellationToken)
    {
        PipeReader reader = PipeReader.Create(line, new StreamPipeReaderOptions(leaveOpen: true));
        while (true)
        {
            ReadResult read = await reader.ReadAsync(cancellationToken);
            ReadOnlySequence<byte> rest = read.Buffer;
            while (!rest.IsEmpty)
            {
                await _mayRead.Task.WaitAsync(cancellationToken);
                long length = context.MeasureFrame(this, rest.Slice(0, Math.Min(8, rest.Length)).ToArray(), rest.Length);
                if (length < 0)
                {
                    // An Abort is on its way, and closes the connection.
                    await Task.Delay(Timeout.InfiniteTimeSpan, context.TimeProvider, cancellationToken);
                }

                if (length == 0 || length > rest.Length)
                {
                    break;
                }

                CoapDatagram frame = new((int)length)
                {
                    Length = (int)length,
                    Remote = Remote,
                    Local = Local,
                    Transport = Transport,
                    Channel = Channel
                };
                rest.Slice(0, length).CopyTo(frame.Buffer);
                rest = rest.Slice(length);
                Volatile.Write(ref _frames, _frames + 1);
                context.Receive(frame);
            }

            Volatile.Write(ref _partial, rest.Length);
            reader.AdvanceTo(rest.Start, rest.End);
            if (read.IsCompleted)
            {
                context.ReceiveEnded(this);
                await Task.Delay(Timeout.InfiniteTimeSpan, context.TimeProvider, cancellationToken);
            }
        }
    }

    private async Task WriteAsync(CancellationToken cancellationToken)
    {
        await foreach (CoapDatagram frame in _toSend.Reader.ReadAllAsync(cancellationToken))
        {
            using (frame)
            {
                bool isLast = frame.IsLast;
                await line.WriteAsync(frame.Data, cancellationToken);
                Volatile.Write(ref _sent, _sent + frame.Length);
                long waiting = Interlocked.Add(ref _waiting, -frame.Length);
                if (isLast)
                {
                    return;
                }

                if (waiting < context.Limits.Connections.SendQueueSize / 2 && Interlocked.Exchange(ref _isCongested, false))
                {
                    ResumeReading();
                    context.CongestionEnded(this);
                }
            }
        }
    }
}
