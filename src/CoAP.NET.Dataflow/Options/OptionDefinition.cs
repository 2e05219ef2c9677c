namespace CoAP.NET.Options;

/// <summary>
/// What a specification says of an option: number, name, format, length and repeatability (RFC 7252 sections 5.4 and 5.10).
/// </summary>
/// <param name="Number">The option number, 0 to 65,535.</param>
/// <param name="Name">The registered name, such as <c>Uri-Path</c>.</param>
/// <param name="Format">The format of the value.</param>
/// <param name="MinLength">The smallest legal length of the value, in bytes.</param>
/// <param name="MaxLength">The largest legal length of the value, in bytes.</param>
/// <param name="IsRepeatable">Whether it may occur more than once (RFC 7252 section 5.4.5).</param>
/// <param name="Use">In which messages it is defined.</param>
public sealed record OptionDefinition(
    int Number,
    string Name,
    OptionFormat Format,
    int MinLength,
    int MaxLength,
    bool IsRepeatable = false,
    OptionUse Use = OptionUse.Both)
{
    /// <summary>
    /// The signalling code (7.01 to 7.31) whose option this is; null for the options of requests and responses. Each signalling code has
    /// numbers of its own (RFC 8323 section 5.2).
    /// </summary>
    public CoapCode? SignallingCode { get; init; }

    /// <summary>
    /// A second signalling code that shares this option, such as Custody in Ping and Pong (RFC 8323 section 5.4.1); otherwise null.
    /// </summary>
    public CoapCode? SecondSignallingCode { get; init; }

    /// <summary>
    /// How the option is protected end to end where something does that, as OSCORE (RFC 8613 section 4.1). Encrypted by default.
    /// </summary>
    public OptionProtection Protection { get; init; }

    /// <summary>
    /// Whether this library knows the option by name and format but does not act on it. A part that does act on it, such as a block between
    /// the stages, takes it out of the message; where it is still there when requests and responses are checked, it counts as unrecognized.
    /// </summary>
    internal bool IsUnsupported { get; init; }

    /// <summary>Whether the option is critical: odd numbers (RFC 7252 section 5.4.6).</summary>
    public bool IsCritical => OptionNumber.IsCritical(Number);

    /// <summary>Whether a proxy must know the option to forward the message (RFC 7252 section 5.4.6).</summary>
    public bool IsUnsafe => OptionNumber.IsUnsafe(Number);

    /// <summary>Whether the option is no part of the cache key (RFC 7252 section 5.4.6).</summary>
    public bool IsNoCacheKey => OptionNumber.IsNoCacheKey(Number);

    /// <summary>Whether a value of this length is legal; if not, the option counts as unrecognized (RFC 7252 section 5.4.3).</summary>
    /// <param name="length">The length in bytes.</param>
    /// <returns>Whether it lies in the range.</returns>
    public bool AllowsLength(int length) => length >= MinLength && length <= MaxLength;

    /// <summary>
    /// Whether messages of a code number their options as this definition does: each signalling code has numbers of its own.
    /// </summary>
    internal bool AppliesTo(CoapCode code) =>
        SignallingCode is null ? !code.IsSignalling : code == SignallingCode || code == SecondSignallingCode;
}
