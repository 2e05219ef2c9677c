namespace CoAP.NET;

/// <summary>
/// The definition of an option in its specification: number, name, format, length and repeatability (RFC 7252 sections 5.4 and 5.10).
/// </summary>
/// <param name="number">The option number, 0 to 65,535.</param>
/// <param name="name">The registered name, such as <c>Uri-Path</c>.</param>
/// <param name="format">The format of the value.</param>
/// <param name="minLength">The minimum length of the value, in bytes.</param>
/// <param name="maxLength">The maximum length of the value, in bytes.</param>
/// <param name="isRepeatable">Whether it may occur more than once (RFC 7252 section 5.4.5).</param>
/// <param name="use">The messages in which it is defined.</param>
public sealed class OptionDefinition(
    int number,
    string name,
    OptionFormat format,
    int minLength,
    int maxLength,
    bool isRepeatable = false,
    OptionApplicability use = OptionApplicability.Both)
{
    /// <summary>The option number, 0 to 65,535.</summary>
    public int Number { get; } = number;

    /// <summary>The registered name, such as <c>Uri-Path</c>.</summary>
    public string Name { get; } = name ?? throw new ArgumentNullException(nameof(name));

    /// <summary>The format of the value.</summary>
    public OptionFormat Format { get; } = format;

    /// <summary>The minimum length of the value, in bytes.</summary>
    public int MinLength { get; } = minLength;

    /// <summary>The maximum length of the value, in bytes.</summary>
    public int MaxLength { get; } = maxLength;

    /// <summary>Whether it may occur more than once (RFC 7252 section 5.4.5).</summary>
    public bool IsRepeatable { get; } = isRepeatable;

    /// <summary>The messages in which it is defined.</summary>
    public OptionApplicability Use { get; } = use;

    /// <summary>The signalling code (7.01 to 7.31) of the option; null for options of requests and responses.</summary>
    /// <remarks>Each signalling code has its own numbers (RFC 8323 section 5.2).</remarks>
    public CoapCode? SignallingCode { get; init; }

    /// <summary>
    /// A second signalling code that shares this option, such as Custody in Ping and Pong (RFC 8323 section 5.4.1); otherwise null.
    /// </summary>
    internal CoapCode? SecondSignallingCode { get; init; }

    /// <summary>The end-to-end protection of the option, for example by OSCORE (RFC 8613 section 4.1).</summary>
    /// <remarks>Encrypted by default.</remarks>
    public OptionProtection Protection { get; init; }

    // What the library does with the option where that differs from what its number says.

    /// <summary>Returns whether a received value is valid; null if every value of a valid length is.</summary>
    /// <remarks>
    /// Called with a value of a valid length, by several threads at the same time; must not throw. A request with a critical option of an
    /// invalid value gets 4.00, and such a response is rejected. An elective option of an invalid value is removed.
    /// </remarks>
    public Func<OptionData, bool>? IsValid { get; init; }

    /// <summary>The valid values, human-readable, such as "1 to 255", for the diagnostic payload of a 4.00; null for none.</summary>
    public string? ValidValues { get; init; }

    /// <summary>Whether a value that is invalid, or has an invalid length, prevents the processing of the message.</summary>
    /// <remarks>
    /// A request then gets 4.00, and a response is rejected, even if the option is elective. Default false: an elective option is removed,
    /// and a critical one of an invalid length gets 4.02.
    /// </remarks>
    public bool RefusesInvalid { get; init; }

    /// <summary>The methods of the requests in which the option is defined; null for all.</summary>
    public IReadOnlyList<CoapCode>? Methods { get; init; }

    /// <summary>Whether a repeatable option may occur only once in a response, such as ETag (RFC 7252 section 5.10.6.1).</summary>
    public bool IsSingleInResponse { get; init; }

    /// <summary>What a cache does with a request that has the option.</summary>
    public OptionCachingInRequests Caching { get; init; }

    /// <summary>What a cache does with a response that has the option.</summary>
    public OptionCachingInResponses Storing { get; init; }

    /// <summary>Whether the option distinguishes the bodies of block-wise requests (RFC 7959 section 2.5).</summary>
    /// <remarks>
    /// True: all blocks of a body have the same value. False: the value may change from block to block. Null: what the number says, true
    /// unless it excludes the option from the cache key.
    /// </remarks>
    public bool? IsInBodyKey { get; init; }

    /// <summary>What a proxy does with the option of a request that it forwards.</summary>
    public OptionForwarding ForwardingInRequest { get; init; }

    /// <summary>What a proxy does with the option of a response that it forwards.</summary>
    public OptionForwarding ForwardingInResponse { get; init; }

    /// <summary>The part of this library that acts on the option.</summary>
    internal RequestOptionFlags Special { get; init; }

    /// <summary>
    /// Whether this library knows the name and format of the option but does not process it. A component that processes it, such as a block
    /// between the stages, removes it from the message; if it is still there when requests and responses are checked, it counts as
    /// unrecognized.
    /// </summary>
    internal bool IsUnsupported { get; init; }

    /// <summary>Whether the option is critical: odd numbers (RFC 7252 section 5.4.6).</summary>
    public bool IsCritical => OptionNumber.IsCritical(Number);

    /// <summary>Whether a proxy must know the option to forward the message (RFC 7252 section 5.4.6).</summary>
    public bool IsUnsafe => OptionNumber.IsUnsafe(Number);

    /// <summary>Whether the option is excluded from the cache key (RFC 7252 section 5.4.6).</summary>
    public bool IsNoCacheKey => OptionNumber.IsNoCacheKey(Number);

    /// <summary>Returns whether a length is valid; if not, the option counts as unrecognized (RFC 7252 section 5.4.3).</summary>
    /// <param name="length">The length in bytes.</param>
    /// <returns>Whether it is within the range.</returns>
    internal bool AllowsLength(int length) => length >= MinLength && length <= MaxLength;

    /// <summary>Returns whether the definition applies to messages with a code: each signalling code has its own numbers.</summary>
    internal bool AppliesTo(CoapCode code) =>
        SignallingCode is null ? !code.IsSignalling : code == SignallingCode || code == SecondSignallingCode;
}
