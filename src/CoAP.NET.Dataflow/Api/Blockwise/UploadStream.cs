namespace CoAP.NET.Blockwise;

/// <summary>
/// A body from a stream. A window of a few blocks, or of one message with many, is kept, so that blocks may get smaller on the way and the
/// last one is known when it goes out.
/// </summary>
/// <param name="stream">The stream.</param>
/// <param name="start">Where the body begins in a stream that can seek.</param>
/// <param name="length">The number of bytes; null when it is not known.</param>
/// <param name="isOwner">Whether the stream is closed with this object.</param>
internal sealed class UploadStream(Stream stream, long start, long? length, bool isOwner) : UploadBody
{
    private const int FirstWindow = 4096;

    private byte[] _window = new byte[FirstWindow];

    // The window holds _filled bytes of the body from _offset on.
    private long _offset;
    private int _filled;
    private bool _isAtEnd;

    public override long? Length => length;

    public override async ValueTask<(ReadOnlyMemory<byte> Block, bool More)> ReadAsync(long offset, int size,
        CancellationToken cancellationToken)
    {
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

            int read = await stream.ReadAsync(_window.AsMemory(_filled), cancellationToken).ConfigureAwait(false);
            _isAtEnd = read == 0;
            _filled += read;
        }

        // A copy: the message may still be read by the thread that sends when the window moves on.
        return (_window.AsSpan(0, Math.Min(size, _filled)).ToArray(), _filled > size);
    }

    public override bool TryRestart()
    {
        if (_offset == 0 && (_filled > 0 || _isAtEnd))
        {
            return true;
        }

        if (stream.CanSeek)
        {
            stream.Position = start;
            (_offset, _filled, _isAtEnd) = (0, 0, false);
            return true;
        }

        // Nothing was read yet.
        return _offset == 0;
    }

    public override ValueTask DisposeAsync() => isOwner ? stream.DisposeAsync() : ValueTask.CompletedTask;
}
