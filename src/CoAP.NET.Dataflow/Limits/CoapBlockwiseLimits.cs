namespace CoAP.NET;

/// <summary>The limits of bodies, in blocks or in one message (RFC 7959).</summary>
/// <remarks>The group <see cref="CoapLimits.Blockwise"/>. Read-only once an endpoint uses it.</remarks>
[HasSettings]
public sealed partial class CoapBlockwiseLimits
{
    internal CoapBlockwiseLimits()
    {
    }

    /// <summary>
    /// The maximum size of a request body, block-wise or in one message, in bytes, for routes without a limit of their own.
    /// </summary>
    /// <remarks>Above it: 4.13 with Size1 (RFC 7959 section 2.9.3).</remarks>
    [NumberRange(1, 1L << 30, IsBytes = true)]
    public partial long MaxRequestBodySize { get; set; } = 1024 * 1024;

    /// <summary>The maximum size of a response body that is assembled in memory from its blocks (RFC 7959), in bytes.</summary>
    /// <remarks>
    /// With a larger body the request fails with a <see cref="CoapException"/>. A body for <see cref="CoapRequest.Destination"/> has no
    /// such limit.
    /// </remarks>
    [NumberRange(0, 1 << 30, IsBytes = true)]
    public partial int MaxResponseBodySize { get; set; } = 64 * 1024 * 1024;

    /// <summary>Memory for block-wise request bodies in the whole endpoint, in bytes.</summary>
    /// <remarks>
    /// Each source has a share (<see cref="CoapQuotaSource"/>). Beyond it, the endpoint discards in this order: the body of the same peer
    /// that was idle longest; then bodies of the source that holds the most, from peers that were silent for MAX_TRANSMIT_SPAN (at
    /// unverified addresses: four times ACK_TIMEOUT) or that send next to nothing. If nothing can be discarded, a block is answered 5.03,
    /// or 4.01 with an Echo for an unverified address, counted as <c>BodiesRefused</c>.
    /// </remarks>
    [NumberRange(4096, IsBytes = true)]
    public partial long RequestMemory { get; set; } = 64L * 1024 * 1024;

    /// <summary>Memory for block-wise responses in the whole endpoint, in bytes.</summary>
    /// <remarks>
    /// Peers that fetch the same response share it. A source may take a part of it (<see cref="MaxSourceFraction"/>), and always the size
    /// of the largest response in memory. With 0 nothing is kept, and handlers run for each block. Each source has a share
    /// (<see cref="CoapQuotaSource"/>). Beyond it, the endpoint discards completed responses first, then responses that are not fetched, or
    /// fetched too slowly. It keeps running transfers, and answers a new one 5.03 with <see cref="CoapRequestLimits.BusyMaxAge"/>, or 4.01
    /// with an Echo for an unverified address, counted as <c>RepresentationsRefused</c>. Use <see cref="CoapResults.File"/> and
    /// <see cref="CoapResults.Stream"/> for larger bodies.
    /// </remarks>
    [NumberRange(0, IsBytes = true)]
    public partial long ResponseMemory { get; set; } = 64L * 1024 * 1024;

    /// <summary>
    /// The part of <see cref="RequestMemory"/> and of <see cref="ResponseMemory"/> that one source (<see cref="CoapQuotaSource"/>)
    /// may take.
    /// </summary>
    /// <remarks>
    /// The many clients behind the address of a proxy or gateway share it. All newcomers together may take the same part, and so may all
    /// other peers with unverified addresses. With 1 a source may take everything; with less it also has no more than its share of what is
    /// free. When full: see these limits.
    /// </remarks>
    [FactorRange(0, 1, IsMinExcluded = true)]
    public partial double MaxSourceFraction { get; set; } = 0.25;
}
