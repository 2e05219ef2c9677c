namespace CoAP.NET.Tests.Blockwise;

/// <summary>A stream of any length whose bytes follow from their place, so that nobody has to keep them.</summary>
internal sealed class PatternStream(long length, bool canSeek = true) : Stream
{
    private long _position;

    /// <summary>The longest single read, so that blocks come in pieces.</summary>
    public int MaxRead { get; init; } = int.MaxValue;

    /// <summary>Where in the pattern it begins.</summary>
    public long Skipped { get; init; }

    /// <summary>Where reading throws <see cref="Failure"/>.</summary>
    public long FailsAt { get; init; } = long.MaxValue;

    /// <summary>What is thrown at <see cref="FailsAt"/>.</summary>
    public Exception Failure { get; init; } = new IOException("It broke off.");

    /// <summary>How many bytes were read so far.</summary>
    public long Given => _position;

    public bool IsDisposed { get; private set; }

    public override bool CanRead => true;

    public override bool CanSeek => canSeek;

    public override bool CanWrite => false;

    public override long Length => canSeek ? length : throw new NotSupportedException();

    public override long Position
    {
        get => canSeek ? _position : throw new NotSupportedException();
        set => _position = canSeek ? value : throw new NotSupportedException();
    }

    public static byte At(long position) => (byte)((position * 31) + (position >> 8) + (position >> 17));

    public static byte[] Bytes(long from, int count)
    {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++)
        {
            bytes[i] = At(from + i);
        }

        return bytes;
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        byte[] bytes = new byte[buffer.Length];
        int read = Read(bytes, 0, bytes.Length);
        bytes.AsSpan(0, read).CopyTo(buffer.Span);
        return ValueTask.FromResult(read);
    }

    public override int Read(byte[] buffer, int offset, int count)
    {
        if (_position >= FailsAt)
        {
            throw Failure;
        }

        int read = (int)Math.Min(Math.Min(count, MaxRead), length - _position);
        for (int i = 0; i < read; i++)
        {
            buffer[offset + i] = At(Skipped + _position + i);
        }

        _position += read;
        return read;
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        IsDisposed = true;
        base.Dispose(disposing);
    }
}
