using CoAP.NET.Tests.Blockwise;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>The bytes of a <see cref="PatternStream"/> at any place. Says how much was read at a time.</summary>
internal sealed class SeekablePattern(long length, List<int>? reads = null) : Stream
{
    public override bool CanRead => true;

    public override bool CanSeek => true;

    public override bool CanWrite => false;

    public override long Length => length;

    public override long Position { get; set; }

    public override int Read(byte[] buffer, int offset, int count)
    {
        int read = (int)Math.Min(count, length - Position);
        reads?.Add(read);
        PatternStream.Bytes(Position, read).CopyTo(buffer, offset);
        Position += read;
        return read;
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
