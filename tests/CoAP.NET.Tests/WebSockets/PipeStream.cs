using System.IO.Pipelines;

namespace CoAP.NET.Tests.WebSockets;

/// <summary>One end of two pipes as a stream, in memory.</summary>
internal sealed class PipeStream(Stream input, Stream output) : Stream
{
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
        return (new PipeStream(there.Reader.AsStream(), back.Writer.AsStream()), new PipeStream(back.Reader.AsStream(), there.Writer.AsStream()));
    }

    public override void Flush()
    {
    }

    public override Task FlushAsync(CancellationToken cancellationToken) => output.FlushAsync(cancellationToken);

    public override int Read(byte[] buffer, int offset, int count) => input.Read(buffer, offset, count);

    public override int Read(Span<byte> buffer) => input.Read(buffer);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => input.ReadAsync(buffer, cancellationToken);

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) => input.ReadAsync(buffer, offset, count, cancellationToken);

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => output.Write(buffer, offset, count);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) => output.WriteAsync(buffer, cancellationToken);

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) => output.WriteAsync(buffer, offset, count, cancellationToken);

    protected override void Dispose(bool disposing)
    {
        input.Dispose();
        output.Dispose();
        base.Dispose(disposing);
    }
}
