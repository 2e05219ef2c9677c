namespace CoAP.NET.Blockwise;

/// <summary>Puts a body together in memory, up to a limit.</summary>
/// <param name="limit">The largest body in bytes.</param>
internal sealed class DownloadMemory(int limit) : DownloadSink
{
    // The limit up to which an announced size is trusted.
    private const int MaxFirstBuffer = 64 * 1024;

    private byte[] _buffer = [];
    private int _length;

    public override ValueTask<bool> WriteAsync(ReadOnlyMemory<byte> block, long? total, CancellationToken cancellationToken)
    {
        if (block.Length > limit - _length)
        {
            return ValueTask.FromResult(false);
        }

        int needed = _length + block.Length;
        if (needed > _buffer.Length)
        {
            long doubled = _length == 0 ? 2L * block.Length : 2L * _buffer.Length;
            long grown = total is { } claimed && claimed >= needed && (claimed <= MaxFirstBuffer || claimed <= doubled)
                ? claimed
                : Math.Max(doubled, needed);
            Array.Resize(ref _buffer, (int)Math.Min(grown, Math.Max(limit, needed)));
        }

        block.CopyTo(_buffer.AsMemory(_length));
        _length = needed;
        return ValueTask.FromResult(true);
    }

    public override bool TryRestart()
    {
        _length = 0;
        return true;
    }

    public override ReadOnlyMemory<byte> ToPayload()
    {
        // A buffer that is half empty would be kept for as long as the response.
        if (_buffer.Length - _length > _length / 4)
        {
            Array.Resize(ref _buffer, _length);
        }

        return _buffer.AsMemory(0, _length);
    }
}
