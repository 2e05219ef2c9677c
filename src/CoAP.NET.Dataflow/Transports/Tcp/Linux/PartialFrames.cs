using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>
/// What a connection holds of frames that did not come whole, in a <see cref="Pipe"/> that grows with what comes and not with what a length says. A connection has one only while there is
/// something in it. Used by one thread at a time, without any waiting.
/// </summary>
internal sealed class PartialFrames
{
    private const int MinRead = 4096;
    private const int MaxRead = 64 * 1024;

    // The memory comes from the shared array pool; how much there may be is bounded by the endpoint.
    private static readonly PipeOptions s_options = new(
        readerScheduler: PipeScheduler.Inline, writerScheduler: PipeScheduler.Inline, pauseWriterThreshold: 0, minimumSegmentSize: MinRead, useSynchronizationContext: false);

    private readonly Pipe _pipe = new(s_options);
    private ReadOnlySequence<byte> _rest;
    private bool _isReading;
    private bool _isFull;
    private int _room;

    /// <summary>How many bytes are there that were not taken out.</summary>
    public long Length { get; private set; }

    /// <summary>How much of the endpoint's memory for this was asked for.</summary>
    public int Reserved { get; set; }

    /// <summary>Room for what is read next; <see cref="Written"/> follows.</summary>
    public Memory<byte> GetMemory()
    {
        EndReading();

        // What is left of the last piece is filled first: a peer that sends byte by byte would have a piece for each of them otherwise.
        Memory<byte> memory = _pipe.Writer.GetMemory(_isFull ? (int)Math.Clamp(Length, MinRead, MaxRead) : 1);
        _room = memory.Length;
        return memory;
    }

    /// <summary>Says how much was read into <see cref="GetMemory"/>.</summary>
    public void Written(int count)
    {
        _pipe.Writer.Advance(count);
        _isFull = count == _room;
        Commit();
        Length += count;
    }

    /// <summary>Appends bytes.</summary>
    public void Write(in ReadOnlySequence<byte> bytes)
    {
        EndReading();
        foreach (ReadOnlyMemory<byte> memory in bytes)
        {
            _pipe.Writer.Write(memory.Span);
        }

        Commit();
        Length += bytes.Length;
    }

    /// <summary>All that is there. Valid until something is written.</summary>
    public ReadOnlySequence<byte> Read()
    {
        if (!_isReading && _pipe.Reader.TryRead(out ReadResult result))
        {
            _rest = result.Buffer;
            _isReading = true;
        }

        return _rest;
    }

    /// <summary>Takes bytes out; their memory stays as it is until something is written, or <see cref="Reset"/>.</summary>
    public void Skip(long count)
    {
        _rest = _rest.Slice(count);
        Length -= count;
    }

    /// <summary>Gives the memory back, for use by another connection.</summary>
    public void Reset()
    {
        EndReading();
        _pipe.Reader.Complete();
        _pipe.Writer.Complete();
        _pipe.Reset();
        _rest = default;
        _isFull = false;
        Length = 0;
    }

    /// <summary>The array behind a piece of <see cref="Read"/>.</summary>
    public static ArraySegment<byte> ArrayOf(ReadOnlyMemory<byte> memory) =>
        MemoryMarshal.TryGetArray(memory, out ArraySegment<byte> array) ? array : memory.ToArray();

    // Nothing is ever "examined": who reads next sees it all.
    private void EndReading()
    {
        if (_isReading)
        {
            _pipe.Reader.AdvanceTo(_rest.Start);
            _isReading = false;
            _rest = default;
        }
    }

    private void Commit()
    {
        // Without a threshold it never waits.
        ValueTask<FlushResult> flush = _pipe.Writer.FlushAsync(CancellationToken.None);
        if (!flush.IsCompletedSuccessfully)
        {
            throw new InvalidOperationException("A pipe without a threshold waits.");
        }

        _ = flush.Result;
    }
}
