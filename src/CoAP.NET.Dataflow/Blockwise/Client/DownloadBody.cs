namespace CoAP.NET.Blockwise.Client;

/// <summary>The body of a response while its blocks come: in memory, up to a limit, or written to a stream of the user.</summary>
internal sealed class DownloadBody
{
    // The limit up to which an announced size is trusted.
    private const int MaxFirstBuffer = 64 * 1024;

    private readonly int _limit;
    private readonly BodyBuffer _memory;
    private readonly Stream? _destination;
    private readonly long _start;
    private bool _isWritten;

    /// <summary>Begins a body in memory.</summary>
    /// <param name="limit">The largest body in bytes.</param>
    public DownloadBody(int limit) => (_limit, _memory) = (limit, new BodyBuffer(limit, MaxFirstBuffer));

    /// <summary>Begins a body that goes to a stream.</summary>
    public DownloadBody(Stream destination)
        : this(limit: 0)
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
            bool isInLimit = block.Length <= _limit - _memory.Length;
            if (isInLimit)
            {
                _memory.Append(block.Span, total);
            }

            return isInLimit;
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
        _memory.RemoveLast(_memory.Length);
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
    public ReadOnlyMemory<byte> ToPayload() => _memory.ToTrimmed();
}
