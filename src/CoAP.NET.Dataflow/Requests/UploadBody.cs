namespace CoAP.NET.Requests;

/// <summary>
/// The body of a request to send, read block by block: bytes in memory, of which nothing is copied, or a stream. Of a stream a window of a
/// few blocks, or of one message with many, is kept, so that blocks may get smaller on the way and the last one is known when it goes out.
/// One upload at a time.
/// </summary>
internal sealed class UploadBody : IAsyncDisposable
{
    private const int FirstWindow = 4096;

    private readonly ReadOnlyMemory<byte> _bytes;
    private readonly Stream? _stream;
    private readonly long _start;
    private readonly bool _isOwner;
    private byte[] _window = [];

    // The window holds _filled bytes of the body from _offset on.
    private long _offset;
    private int _filled;
    private bool _isAtEnd;

    public UploadBody(ReadOnlyMemory<byte> bytes) => (_bytes, Length) = (bytes, bytes.Length);

    /// <param name="stream">The stream.</param>
    /// <param name="start">Where the body begins in a stream that can seek.</param>
    /// <param name="length">The number of bytes; null when it is not known.</param>
    /// <param name="isOwner">Whether the stream is closed with this object.</param>
    public UploadBody(Stream stream, long start, long? length, bool isOwner)
    {
        (_stream, _start, Length, _isOwner) = (stream, start, length, isOwner);
        _window = new byte[FirstWindow];
    }

    /// <summary>The number of bytes; null when it is not known.</summary>
    public long? Length { get; }

    /// <summary>Reads a block. Offsets never go back but to 0, after <see cref="TryRestart"/>.</summary>
    /// <param name="offset">Where the block begins, in bytes.</param>
    /// <param name="size">How many bytes it has, unless the body ends.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <returns>The block, whose memory is not used again, and whether more bytes follow.</returns>
    public async ValueTask<(ReadOnlyMemory<byte> Block, bool More)> ReadAsync(long offset, int size, CancellationToken cancellationToken)
    {
        if (_stream is null)
        {
            ReadOnlyMemory<byte> rest = _bytes[(int)offset..];
            return rest.Length > size ? (rest[..size], true) : (rest, false);
        }

        int passed = (int)(offset - _offset);
        if (passed > 0)
        {
            _filled -= passed;
            _window.AsSpan(passed, _filled).CopyTo(_window);
            _offset = offset;
        }

        while (_filled <= size && !_isAtEnd)
        {
            if (_filled == _window.Length)
            {
                // It grows with the data, because the total is unknown; one extra byte shows whether there is more.
                Array.Resize(ref _window, (int)Math.Min(2L * _window.Length, size + 1L));
            }

            int read = await _stream.ReadAsync(_window.AsMemory(_filled), cancellationToken).ConfigureAwait(false);
            _isAtEnd = read == 0;
            _filled += read;
        }

        // A copy: the message may still be read by the thread that sends when the window moves on.
        return (_window.AsSpan(0, Math.Min(size, _filled)).ToArray(), _filled > size);
    }

    /// <summary>Goes back to the beginning.</summary>
    /// <returns>Whether the beginning can be read again.</returns>
    public bool TryRestart()
    {
        // All of a stream that was read is still in the window, or nothing was read yet.
        if (_stream is null || (_offset == 0 && (_filled > 0 || _isAtEnd)))
        {
            return true;
        }

        if (_stream.CanSeek)
        {
            _stream.Position = _start;
            (_offset, _filled, _isAtEnd) = (0, 0, false);
            return true;
        }

        return _offset == 0;
    }

    /// <summary>Closes what was opened for this upload.</summary>
    public ValueTask DisposeAsync() => _isOwner ? _stream!.DisposeAsync() : ValueTask.CompletedTask;
}
