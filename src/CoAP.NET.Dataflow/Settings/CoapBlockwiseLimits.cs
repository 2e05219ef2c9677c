namespace CoAP.NET;

/// <summary>The limits of bodies, in blocks or in one message (RFC 7959).</summary>
/// <remarks>The group <see cref="CoapLimits.Blockwise"/>. Mutable; the endpoint copies it when it is created.</remarks>
public sealed class CoapBlockwiseLimits
{
    internal CoapBlockwiseLimits()
    {
    }

    /// <summary>
    /// The maximum size of a request body, block-wise or in one message, in bytes, for routes without a limit of their own.
    /// </summary>
    /// <remarks>Default 1 MiB; 1 to 1 GiB. Above it: 4.13 with Size1 (RFC 7959 section 2.9.3).</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public long MaxRequestBodySize { get; set => field = ValueGuard.InRange(value, 1, 1L << 30); } = 1024 * 1024;

    /// <summary>The maximum size of a response body that is assembled in memory from its blocks (RFC 7959), in bytes.</summary>
    /// <remarks>
    /// Default 64 MiB; 0 to 1 GiB. With a larger body the request fails with a <see cref="CoapException"/>. A body for
    /// <see cref="CoapRequest.Destination"/> has no such limit.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxResponseBodySize { get; set => field = ValueGuard.InRange(value, 0, 1 << 30); } = 64 * 1024 * 1024;

    /// <summary>Memory for block-wise request bodies in the whole endpoint, in bytes.</summary>
    /// <remarks>
    /// Default 64 MiB. A source never takes more of it than it leaves free. When full, the endpoint discards in this order: the body of the
    /// same peer that was idle longest; then bodies of the source that holds the most, from peers that were silent for MAX_TRANSMIT_SPAN
    /// (at unverified addresses: four times ACK_TIMEOUT) or that send next to nothing. If nothing can be discarded, a block is answered
    /// 5.03, or 4.01 with an Echo for an unverified address.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public long RequestMemory { get; set => field = ValueGuard.InRange(value, 4096, long.MaxValue); } = 64L * 1024 * 1024;

    /// <summary>Memory for block-wise responses in the whole endpoint, in bytes.</summary>
    /// <remarks>
    /// Peers that fetch the same response share it. Default 64 MiB, of which a source may take 16 MiB (<see cref="MaxSourceFraction"/>),
    /// the size of the largest response in memory. With 0 nothing is kept, and handlers run for each block. A source never takes more than
    /// it leaves free. When full: the endpoint discards completed responses first, then responses that are not fetched, or fetched too
    /// slowly. It keeps running transfers, and answers a new one 5.03 with <see cref="CoapRequestLimits.BusyMaxAge"/>, or 4.01 with an Echo
    /// for an unverified address. Use <see cref="CoapResults.File"/> and <see cref="CoapResults.Stream"/> for larger bodies.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public long ResponseMemory { get; set => field = ValueGuard.InRange(value, 0, long.MaxValue); } = 64L * 1024 * 1024;

    /// <summary>
    /// The part of <see cref="RequestMemory"/> and of <see cref="ResponseMemory"/> that one source (<see cref="CoapQuotaSource"/>)
    /// may take.
    /// </summary>
    /// <remarks>
    /// Default 1/4; above 0, up to 1. The many clients behind the address of a proxy or gateway share it. All newcomers together may take
    /// the same part, and so may all other peers with unverified addresses. With 1 a source may take everything; with less it never takes
    /// more than it leaves free. When full: see these limits.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public double MaxSourceFraction { get; set => field = ValueGuard.Fraction(value); } = 0.25;

    internal CoapBlockwiseLimits Clone() => (CoapBlockwiseLimits)MemberwiseClone();
}
