namespace CoAP.NET.Explorer.Decoding;

/// <summary>An option of a message.</summary>
/// <param name="Offset">The position of its first byte.</param>
/// <param name="Number">Its number.</param>
/// <param name="Name">Its registered name; null for none.</param>
/// <param name="Delta">The difference to the previous number.</param>
/// <param name="Value">The bytes of its value.</param>
/// <param name="Text">The value in its format, safe for a terminal; empty for none.</param>
/// <param name="Remark">The objection of a receiver; null for none.</param>
internal sealed record DecodedOption(int Offset, int Number, string? Name, int Delta, byte[] Value, string Text, string? Remark)
{
    /// <summary>Describes the bits of the number (RFC 7252 section 5.4.6).</summary>
    /// <param name="isSignalling">
    /// Whether the option belongs to a signalling message. Proxies forward no signalling, so only one bit matters (RFC 8323 section 5.2).
    /// </param>
    public string BitsOf(bool isSignalling) => (OptionNumber.IsCritical(Number) ? "critical" : "elective")
        + (isSignalling ? "" : OptionNumber.IsUnsafe(Number) ? ", unsafe to forward" : ", safe to forward")
        + (!isSignalling && OptionNumber.IsNoCacheKey(Number) ? ", no part of the cache key" : "");
}
