using CoAP.NET.Options;

namespace CoAP.NET.Decoding;

/// <summary>An option as it stands in a message.</summary>
/// <param name="Offset">Where its first byte is.</param>
/// <param name="Number">Its number.</param>
/// <param name="Name">Its registered name; null for none.</param>
/// <param name="Delta">The difference to the number before.</param>
/// <param name="Value">The bytes of its value.</param>
/// <param name="Text">The value by its format, harmless to a terminal; empty where there is none.</param>
/// <param name="Remark">What a receiver dislikes about it; null for nothing.</param>
internal sealed record DecodedOption(int Offset, int Number, string? Name, int Delta, byte[] Value, string Text, string? Remark)
{
    /// <summary>The bits of the number in words (RFC 7252 section 5.4.6).</summary>
    /// <param name="isSignalling">Whether it belongs to a signalling message: proxies forward none, so that one bit alone counts (RFC 8323
    /// section 5.2).</param>
    public string BitsOf(bool isSignalling) => (OptionNumber.IsCritical(Number) ? "critical" : "elective")
        + (isSignalling ? "" : OptionNumber.IsUnsafe(Number) ? ", unsafe to forward" : ", safe to forward")
        + (!isSignalling && OptionNumber.IsNoCacheKey(Number) ? ", no part of the cache key" : "");
}
