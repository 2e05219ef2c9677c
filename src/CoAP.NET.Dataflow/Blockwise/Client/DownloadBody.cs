namespace CoAP.NET.Blockwise.Client;

/// <summary>The body of a response while its blocks come: in memory, up to a limit, or written to a stream of the user.</summary>
internal sealed class DownloadBody
{
    // The limit up to which an announced size is trusted.
    private const int MaxFirstBuffer = 64 * 1024;

    private readonly int _limit;
    private readonly Stream? _destination;
    private readonly long _start;
    private byte[] _buffer = [];
    private int _length;
    private bool _isWritten;

    /// <summary>Begins a body in memory.</summary>
    /// <param name="limit">The largest body in bytes.</param>
    public DownloadBody(int limit) => _limit = limit;

    /// <summary>Begins a body that goes to a stream.</summary>
    public DownloadBody(Stream destination)
    {
        _destination = destination;
        _start = destination.CanSeek ? destination.Position : 0;
    }

    /// <summary>Takes the next bytes.</summary>
    /// <param name="block">The bytes.</param>
    /// <param name="total">The body size that the server reports; null if it reports none. A hint.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>False if the limit does not allow them.</returns>
    public async ValueTask<bool> WriteAsync(ReadOnlyMemory<byte> block, long? total, CancellationToken cancellationToken)
    {
        if (_destination is null)
        {
            return TryAppend(block, total);
        }

        if (!block.IsEmpty)
        {
            _isWritten = true;
            await _destination.WriteAsync(block, cancellationToken).ConfigureAwait(false);
        }

        return true;
    }

    /// <summary>Takes back everything that was written.</summary>
    /// <returns>Whether that is possible.</returns>
    public bool TryRestart()
    {
        _length = 0;
        if (_isWritten)
        {
            if (!_destination!.CanSeek)
            {
                return false;
            }

            _destination.SetLength(_start);
            _destination.Position = _start;
        }

        return true;
    }

    /// <summary>The payload of the response: what was written, or nothing when it went to a stream.</summary>
    public ReadOnlyMemory<byte> ToPayload()
    {
        // A buffer that is half empty would be kept for as long as the response.
        if (_buffer.Length - _length > _length / 4)
        {
            Array.Resize(ref _buffer, _length);
        }

        return _buffer.AsMemory(0, _length);
    }

    private bool TryAppend(ReadOnlyMemory<byte> block, long? total)
    {
        if (block.Length > _limit - _length)
        {
            return false;
        }

        int needed = _length + block.Length;
        if (needed > _buffer.Length)
        {
            long doubled = _length == 0 ? 2L * block.Length : 2L * _buffer.Length;
            long grown = total is { } claimed && claimed >= needed && (claimed <= MaxFirstBuffer || claimed <= doubled)
                ? claimed
                : Math.Max(doubled, needed);
            Array.Resize(ref _buffer, (int)Math.Min(grown, Math.Max(_limit, needed)));
        }

        block.CopyTo(_buffer.AsMemory(_length));
        _length = needed;
        return true;
    }
}
