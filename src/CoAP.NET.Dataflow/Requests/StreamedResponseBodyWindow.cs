namespace CoAP.NET.Requests;

/// <summary>
/// The part of a body in memory while its stream is read from start to end: the bytes that a peer may request again, the requested block,
/// and one byte that shows whether there is another one. One reader at a time; any thread may read the properties.
/// </summary>
/// <param name="stream">The stream, which need not seek.</param>
/// <param name="start">The position of the stream in the body.</param>
/// <param name="size">The announced size of the body; null if unknown. A hint for the peer.</param>
internal sealed class StreamedResponseBodyWindow(Stream stream, long start, long? size)
{
    /// <summary>How many bytes stay for a peer that asks for a block again, by a new request.</summary>
    public const int Behind = 8 * 1024;

    /// <summary>How many bytes are passed over for a peer that has several requests under way, which overtake each other.</summary>
    public const int Ahead = 16 * 1024;

    private const int FirstBuffer = 4096;

    private byte[] _bytes = new byte[FirstBuffer];
    private int _filled;
    private bool _isAtEnd;

    // The window holds the body from _from up to _to.
    private long _from = start;
    private long _to = start;
    private long _length = long.MaxValue;

    /// <summary>The announced size of the body; null if unknown.</summary>
    public long? Size => size;

    /// <summary>The size of the body; <see cref="long.MaxValue"/> as long as its end was not read.</summary>
    public long Length => Volatile.Read(ref _length);

    /// <summary>Whether the place of a block was not passed.</summary>
    public bool IsBefore(long offset) => offset >= Volatile.Read(ref _from);

    /// <summary>Whether a block can still be read, or will be soon.</summary>
    public bool Reaches(long offset) => IsBefore(offset) && offset <= Volatile.Read(ref _to) + Ahead;

    /// <summary>Reads a part of the body.</summary>
    /// <param name="offset">Where it begins; not before the window.</param>
    /// <param name="length">The most bytes to read.</param>
    /// <param name="cancellationToken">Ends the reading; what was read so far stays.</param>
    /// <returns>The part: shorter, or empty, where the body ends.</returns>
    public async ValueTask<byte[]> ReadAsync(long offset, int length, CancellationToken cancellationToken)
    {
        while (true)
        {
            Drop(offset - Behind);
            long wanted = offset + length + 1;
            if (_isAtEnd || _to >= wanted)
            {
                break;
            }

            if (_filled == _bytes.Length)
            {
                Array.Resize(ref _bytes, (int)Math.Min(2L * _bytes.Length, wanted - _from));
            }

            int read = await stream.ReadAsync(_bytes.AsMemory(_filled), cancellationToken).ConfigureAwait(false);
            _filled += read;
            Volatile.Write(ref _to, _to + read);
            if (read == 0)
            {
                _isAtEnd = true;
                Volatile.Write(ref _length, _to);
            }
        }

        int at = (int)Math.Min(_filled, offset - _from);
        return _bytes.AsSpan(at, Math.Min(length, _filled - at)).ToArray();
    }

    private void Drop(long before)
    {
        int passed = (int)Math.Clamp(before - _from, 0, _filled);
        if (passed > 0)
        {
            _filled -= passed;
            _bytes.AsSpan(passed, _filled).CopyTo(_bytes);
            Volatile.Write(ref _from, _from + passed);
        }
    }
}
