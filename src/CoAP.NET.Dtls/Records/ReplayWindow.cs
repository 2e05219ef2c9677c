using CoAP.NET.Exchanges;

namespace CoAP.NET.Dtls.Records;

/// <summary>
/// Which of the newest 64 sequence numbers came already (RFC 6347 section 4.1.2.6). 16 bytes, as each session has one.
/// </summary>
internal struct ReplayWindow
{
    // The highest number plus one, so that a window without any is all zeros.
    private ulong _next;
    private ulong _ring;

    /// <summary>The highest number that came plus one; 0 when none did.</summary>
    public readonly ulong Next => _next;

    /// <summary>A window that takes no number below another.</summary>
    /// <param name="next">The lowest number that is taken.</param>
    public static ReplayWindow From(ulong next) => new() { _next = next, _ring = ulong.MaxValue };

    /// <summary>Whether a number is higher than all that came.</summary>
    /// <param name="sequence">The number.</param>
    public readonly bool IsNewest(ulong sequence) => sequence >= _next;

    /// <summary>Whether a record with this number would be taken. Asked before a record is opened, so that old ones cost nothing.</summary>
    /// <param name="sequence">The number.</param>
    public readonly bool Takes(ulong sequence) => ReplayBits.Takes(_next, new ReadOnlySpan<ulong>(in _ring), sequence);

    /// <summary>Notes a number, after its record was found to be authentic.</summary>
    /// <param name="sequence">The number.</param>
    public void Add(ulong sequence) => ReplayBits.Add(ref _next, new Span<ulong>(ref _ring), sequence);
}
