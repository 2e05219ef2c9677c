using System.IO.Pipelines;

namespace CoAP.NET.Tests.Transports.WebSockets;

/// <summary>One end of two pipes as a stream, in memory.</summary>
internal sealed class PipeStream(PipeReader reader, PipeWriter writer) : Stream
{
    private readonly Stream _input = reader.AsStream();
    private readonly Stream _output = writer.AsStream();

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>Two ends of one line.</summary>
    /// <param name="room">How many bytes each direction holds before a writer waits; 0 for any number.</param>
    public static (Stream One, Stream Other) Pair(long room = 0)
    {
        PipeOptions options = new(pauseWriterThreshold: room, resumeWriterThreshold: room / 2, useSynchronizationContext: false);
        Pipe there = new(options);
        Pipe back = new(options);
        return (new PipeStream(there.Reader, back.Writer), new PipeStream(back.Reader, there.Writer));
    }

    public override void Flush()
    {
    }

    public override Task FlushAsync(CancellationToken cancellationToken) => _output.FlushAsync(cancellationToken);

    public override int Read(byte[] buffer, int offset, int count) => _input.Read(buffer, offset, count);

    public override int Read(Span<byte> buffer) => _input.Read(buffer);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        _input.ReadAsync(buffer, cancellationToken);

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        _input.ReadAsync(buffer, offset, count, cancellationToken);

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => _output.Write(buffer, offset, count);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        _output.WriteAsync(buffer, cancellationToken);

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        _output.WriteAsync(buffer, offset, count, cancellationToken);

    protected override void Dispose(bool disposing)
    {
        // As of a socket: whoever reads or writes finds out.
        reader.CancelPendingRead();
        writer.CancelPendingFlush();
        reader.Complete();
        writer.Complete();
        base.Dispose(disposing);
    }
}
