namespace CoAP.NET.Dtls.Records;

/// <summary>Which of the newest 64 sequence numbers came already (RFC 6347 section 4.1.2.6).</summary>
internal struct ReplayWindow
{
    private const int Size = 64;

    // The highest number plus one, so that a window without any is all zeros.
    private ulong _next;

    // Bit n stands for the highest number minus n.
    private ulong _seen;

    /// <summary>The highest number that came plus one; 0 when none did.</summary>
    public readonly ulong Next => _next;

    /// <summary>A window that takes no number below another.</summary>
    /// <param name="next">The lowest number that is taken.</param>
    public static ReplayWindow From(ulong next) => new() { _next = next, _seen = ulong.MaxValue };

    /// <summary>Whether a number is higher than all that came.</summary>
    /// <param name="sequence">The number.</param>
    public readonly bool IsNewest(ulong sequence) => sequence >= _next;

    /// <summary>Whether a record with this number would be taken. Asked before a record is opened, so that old ones cost nothing.</summary>
    /// <param name="sequence">The number.</param>
    public readonly bool Takes(ulong sequence)
    {
        if (sequence >= _next)
        {
            return true;
        }

        ulong age = _next - 1 - sequence;
        return age < Size && (_seen & (1UL << (int)age)) == 0;
    }

    /// <summary>Notes a number, after its record was found to be authentic.</summary>
    /// <param name="sequence">The number.</param>
    public void Add(ulong sequence)
    {
        if (sequence < _next)
        {
            _seen |= 1UL << (int)(_next - 1 - sequence);
            return;
        }

        ulong step = sequence + 1 - _next;
        _seen = (step < Size ? _seen << (int)step : 0) | 1;
        _next = sequence + 1;
    }
}
