using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

// One loop reads, cuts and hands in, on whatever thread of the pool the platform calls it. While nothing comes it holds no memory but its own state.
internal sealed partial class AsyncConnection
{
    /// <summary>So many bytes of an unfinished frame are free, as every connection may have some.</summary>
    private const int FreeAssembly = 512;

    private const int AssemblyStep = 4096;
    private const int MinRead = 256;
    private const int MaxHead = 16;

    // So many reads that found something at once: then others of the pool have their turn.
    private const int ReadsAtOnce = 16;

    // Shows one frame after another of an array of the input; a thread needs one.
    [ThreadStatic]
    private static CoapDatagram? t_view;

    private readonly Pipe _input;
    private readonly FrameMemory _memory;
    private bool _isReading;

    // Touched by the reader only.
    private bool _hasUncut;
    private int _reserved;

    private long _frames;
    private long _partial;

    // Nothing is cut while what was read before waits for room, nor after the last frame was given to be sent.
    private bool MayRead => !_isOver && !_isLastGiven && !_isCongested && Volatile.Read(ref _pauses) <= 0;

    /// <summary>Cuts what is there into frames and hands them in, as long as the connection may be read. Called on a thread that was marked for it.</summary>
    public void RunFrames()
    {
        BeginBatch();
        try
        {
            if (_input.Reader.TryRead(out ReadResult result))
            {
                CutFrames(result.Buffer);
            }
        }
        finally
        {
            EndBatch();
        }
    }

    private async Task ReadAsync()
    {
        Exception? error = null;
        bool hasEnded = false;
        int reads = 0;
        lock (_gate)
        {
            _isReading = true;
        }

        try
        {
            // Nobody who opens connections waits for what is done with their frames.
            await default(PoolTurn);
            while (TryTakeTurn(out Task? wait))
            {
                if (wait is not null)
                {
                    await wait.ConfigureAwait(false);
                    continue;
                }

                if (!_hasUncut)
                {
                    if (_memory.Held == 0)
                    {
                        // Nothing is held while nothing comes.
                        await _stream.ReadAsync(Memory<byte>.Empty, CancellationToken.None).ConfigureAwait(false);
                        if (!MayRead)
                        {
                            continue;
                        }
                    }

                    if (++reads >= ReadsAtOnce)
                    {
                        // Whoever sends faster than we read would have a thread of the pool for itself.
                        reads = 0;
                        await Task.Yield();
                    }

                    int count = await _stream.ReadAsync(_input.Writer.GetMemory(MinRead), CancellationToken.None).ConfigureAwait(false);
                    if (count == 0)
                    {
                        hasEnded = true;
                        break;
                    }

                    _hasUncut = true;
                    _hasHeard = true;
                    _input.Writer.Advance(count);
                    Flush(_input.Writer);
                }

                if (TryRunElsewhere() is { } done)
                {
                    await done.ConfigureAwait(false);
                }
                else
                {
                    AsyncReceiveRole.Run(this);
                }
            }
        }
#pragma warning disable CA1031 // whatever it was, the connection ends by it and nothing else
        catch (Exception exception)
#pragma warning restore CA1031
        {
            error = exception;
        }

        _input.Writer.Complete();
        _input.Reader.Complete();
        Reserve(0);
        if (error is not null)
        {
            End(Explain(error), lingers: false);
        }
        else if (!hasEnded)
        {
            await DiscardAsync().ConfigureAwait(false);
        }

        bool tells;
        lock (_gate)
        {
            _isReading = false;
            tells = hasEnded && !_isOver;
        }

        if (tells)
        {
            OnReceiveEnded();
        }
        else if (hasEnded)
        {
            // Our side was ended meanwhile.
            EndLingering();
        }

        Hold(-1);
    }

    /// <summary>Whether the connection is to be read at all.</summary>
    /// <param name="wait">Ends when it may be read; null when it may be now.</param>
    private bool TryTakeTurn(out Task? wait)
    {
        bool isFull;
        wait = null;
        lock (_gate)
        {
            if (_isOver || _isLastGiven)
            {
                return false;
            }

            if (MayRead)
            {
                return true;
            }

            isFull = _isCongested;
            _resume ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            wait = _resume.Task;
        }

        if (isFull)
        {
            _context.Counters.Add(CoapCounter.ReadingPauses);
        }

        // That it does not go on is not the peer's fault.
        Volatile.Write(ref _partial, 0);
        return true;
    }

    /// <summary>Runs the frames on a thread of the library, where the pool cannot spare this one.</summary>
    /// <returns>Ends when that is done; null when they are to be run here.</returns>
    private Task? TryRunElsewhere()
    {
        // With as many threads of the pool in user code as there are processors some of them wait, and further ones might, until nobody is left to read.
        if (!_engine.IsPoolTaken)
        {
            return null;
        }

        TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        return _context.Scheduler.Queue(static state => RunElsewhere(((AsyncConnection, TaskCompletionSource))state!), (this, done)) ? done.Task : null;
    }

    private static void RunElsewhere((AsyncConnection Connection, TaskCompletionSource Done) work)
    {
        try
        {
            AsyncReceiveRole.Run(work.Connection);
            work.Done.SetResult();
        }
#pragma warning disable CA1031 // the reader ends the connection by it
        catch (Exception exception)
#pragma warning restore CA1031
        {
            work.Done.SetException(exception);
        }
    }

    private void CutFrames(ReadOnlySequence<byte> bytes)
    {
        long partial = 0;
        bool isStopped = false;
        while (!bytes.IsEmpty && !isStopped)
        {
            if (!TryBeginFrame())
            {
                isStopped = true;
                break;
            }

            long length = 0;
            try
            {
                length = Measure(bytes);
                if (length > 0 && length <= bytes.Length)
                {
                    _frames++;
                    HandIn(bytes.Slice(0, length));
                    bytes = bytes.Slice(length);
                    continue;
                }
            }
            finally
            {
                EndFrame();
            }

            if (length < 0)
            {
                // Aborted: the last frame is on its way, and nothing more is looked at.
                bytes = bytes.Slice(bytes.End);
                break;
            }

            partial = length == 0 ? bytes.Length : length;
            break;
        }

        // Bytes that wait because we do not read count as well as those of a frame that is not there yet.
        _hasUncut = isStopped;
        _memory.Held = bytes.Length;
        Volatile.Write(ref _partial, partial);
        SequencePosition at = bytes.Start;
        bool hasRoom = Reserve(bytes.Length);
        _input.Reader.AdvanceTo(at, isStopped ? at : bytes.End);
        if (!hasRoom)
        {
            End(
                new CoapConnectionException(CoapConnectionError.Refused, $"The connection to {this} was closed: there is no memory for frames of which only a part is there. See CoapLimits.MaxFrameAssemblyBytes."),
                lingers: false);
        }
    }

    private long Measure(in ReadOnlySequence<byte> bytes)
    {
        ReadOnlySpan<byte> first = bytes.FirstSpan;
        if (first.Length >= MaxHead || bytes.IsSingleSegment)
        {
            return _context.MeasureFrame(this, first, bytes.Length);
        }

        Span<byte> head = stackalloc byte[MaxHead];
        int length = (int)Math.Min(MaxHead, bytes.Length);
        bytes.Slice(0, length).CopyTo(head);
        return _context.MeasureFrame(this, head[..length], bytes.Length);
    }

    private void HandIn(in ReadOnlySequence<byte> bytes)
    {
        int length = (int)bytes.Length;
        byte[]? joined = null;
        if (!bytes.IsSingleSegment || !MemoryMarshal.TryGetArray(bytes.First, out ArraySegment<byte> place))
        {
            joined = ArrayPool<byte>.Shared.Rent(length);
            bytes.CopyTo(joined);
            place = new ArraySegment<byte>(joined, 0, length);
        }

        CoapDatagram frame = t_view ?? CoapDatagram.MakeView();
        t_view = null;
        frame.Show(place.Array!, place.Offset, length);
        frame.Remote = Remote;
        frame.Local = Local;
        frame.Transport = Transport;
        frame.Channel = Channel;
        StageTime.Forget();
        _context.Receive(frame);
        if (!frame.TryTakeBack())
        {
            // Somebody keeps it, and the array it shows.
            if (joined is null)
            {
                _memory.Keep(place.Array!);
            }

            return;
        }

        t_view = frame;
        if (joined is not null)
        {
            CoapDatagramPool.Returned?.Invoke(joined);
            ArrayPool<byte>.Shared.Return(joined);
        }
    }

    private bool TryBeginFrame()
    {
        lock (_gate)
        {
            if (!MayRead)
            {
                return false;
            }

            _turn = Turn.InStages;
            return true;
        }
    }

    private void EndFrame()
    {
        bool tells;
        lock (_gate)
        {
            _turn = Turn.Cutting;
            tells = TryTell();
        }

        if (tells)
        {
            Tell();
        }
    }

    private bool Reserve(long held)
    {
        int wanted = held <= FreeAssembly ? 0 : (int)((held + AssemblyStep - 1) / AssemblyStep * AssemblyStep);
        int change = wanted - _reserved;
        if (change > 0 && !_context.TryReserveAssembly(change))
        {
            return false;
        }

        if (change < 0)
        {
            _context.ReleaseAssembly(-change);
        }

        _reserved = wanted;
        return true;
    }
}
