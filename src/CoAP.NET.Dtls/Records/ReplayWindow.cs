using CoAP.NET.Exchanges;

namespace CoAP.NET.Dtls.Records;

/// <summary>
/// Remembers which of the newest 64 sequence numbers were received (RFC 6347 section 4.1.2.6). Only 16 bytes, because each session has one.
/// </summary>
internal struct ReplayWindow
{
    // The highest number plus one, so that an empty window is all zeros.
    private ulong _next;
    private ulong _ring;

    /// <summary>The highest received number plus one; 0 for none.</summary>
    public readonly ulong Next => _next;

    /// <summary>Creates a window that accepts no number below another.</summary>
    /// <param name="next">The lowest number that it accepts.</param>
    public static ReplayWindow From(ulong next) => new() { _next = next, _ring = ulong.MaxValue };

    /// <summary>Whether a number is higher than all received ones.</summary>
    /// <param name="sequence">The number.</param>
    public readonly bool IsNewest(ulong sequence) => sequence >= _next;

    /// <summary>
    /// Whether the window accepts a record with this number. The caller checks before it opens a record, so that old ones cost nothing.
    /// </summary>
    /// <param name="sequence">The number.</param>
    public readonly bool Takes(ulong sequence) => ReplayBits.Takes(_next, new ReadOnlySpan<ulong>(in _ring), sequence);

    /// <summary>Adds a number, after its record proved authentic.</summary>
    /// <param name="sequence">The number.</param>
    public void Add(ulong sequence) => ReplayBits.Add(ref _next, new Span<ulong>(ref _ring), sequence);
}
