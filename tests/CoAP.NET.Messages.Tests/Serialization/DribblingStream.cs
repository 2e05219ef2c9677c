namespace CoAP.NET.Tests.Serialization;

/// <summary>
/// A stream that gives a few bytes at a time and cannot seek. The asynchronous kind fails when it is read synchronously, and the
/// synchronous kind when it is read asynchronously. Long messages come in larger pieces after their first bytes.
/// </summary>
/// <param name="bytes">The bytes.</param>
/// <param name="chunk">How many at a time.</param>
/// <param name="isAsync">Whether it is to be read asynchronously.</param>
/// <param name="waits">One asynchronous read of so many has no byte at once; 0 when all have.</param>
internal sealed class DribblingStream(byte[] bytes, int chunk, bool isAsync, int waits = 1) : Stream
{
    private const int Head = 512;
    private const int PiecesOfRest = 200;

    private int _position;
    private int _reads;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    /// <summary>How many bytes were taken.</summary>
    public override long Position
    {
        get => _position;
        set => throw new NotSupportedException();
    }

    public override int Read(Span<byte> buffer) => isAsync ? throw new InvalidOperationException("Read synchronously.") : Take(buffer);

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        !isAsync ? throw new InvalidOperationException("Read asynchronously.")
            : waits > 0 && ++_reads % waits == 0 ? ReadLaterAsync(buffer, cancellationToken)
            : new ValueTask<int>(Take(buffer.Span));

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    private async ValueTask<int> ReadLaterAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        await Task.Yield();
        cancellationToken.ThrowIfCancellationRequested();
        return Take(buffer.Span);
    }

    private int Take(Span<byte> buffer)
    {
        int piece = _position < Head ? chunk : Math.Max(chunk, bytes.Length / PiecesOfRest);
        int length = Math.Min(Math.Min(piece, buffer.Length), bytes.Length - _position);
        bytes.AsSpan(_position, length).CopyTo(buffer);
        _position += length;
        return length;
    }
}
