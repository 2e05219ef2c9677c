namespace CoAP.NET.Tests.Serialization;

/// <summary>
/// A stream that remembers the size of each write. Unless told otherwise no write ends at once, and none may be synchronous.
/// </summary>
internal sealed class RecordingStream(bool isAtOnce = false, bool keeps = true) : Stream
{
    private readonly MemoryStream _all = new();

    public List<int> Writes { get; } = new(64);

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public byte[] ToArray() => _all.ToArray();

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (!isAtOnce)
        {
            return WriteLaterAsync(buffer, cancellationToken);
        }

        Record(buffer.Span);
        return default;
    }

    public override void Write(byte[] buffer, int offset, int count) => throw new InvalidOperationException("Written synchronously.");

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    private async ValueTask WriteLaterAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
    {
        await Task.Yield();
        cancellationToken.ThrowIfCancellationRequested();
        Record(buffer.Span);
    }

    private void Record(ReadOnlySpan<byte> bytes)
    {
        Writes.Add(bytes.Length);
        if (keeps)
        {
            _all.Write(bytes);
        }
    }
}
