namespace CoAP.NET.Tests.Blockwise;

/// <summary>Takes what a <see cref="PatternStream"/> gives, compares it and keeps nothing.</summary>
internal sealed class ComparingStream : Stream
{
    private long _length;

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => _length;

    public override long Position
    {
        get => _length;
        set => throw new NotSupportedException();
    }

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count)
    {
        Assert.True(buffer.AsSpan(offset, count).SequenceEqual(PatternStream.Bytes(_length, count)));
        _length += count;
    }
}
