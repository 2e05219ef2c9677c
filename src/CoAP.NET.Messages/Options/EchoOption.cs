namespace CoAP.NET;

/// <summary>
/// Echo: a value that a client returns to the server, to prove that a request is fresh or its address real (RFC 9175 section 2.2.1).
/// </summary>
/// <remarks>1 to 40 bytes.</remarks>
public sealed class EchoOption : OpaqueOption, ITypedOption<EchoOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The bytes, 1 to 40; copied.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are fewer than 1 or more than 40 bytes.</exception>
    public EchoOption(ReadOnlySpan<byte> value)
        : base(Definition, value.ToArray())
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.Echo, "Echo", OptionFormat.Opaque, 1, 40, isRepeatable: false, OptionApplicability.Both)
        {
            // A challenge is for one request (RFC 9175 section 2.2).
            Storing = OptionCachingInResponses.Drop,
            Special = RequestOptionFlags.Echo,
        };

    /// <inheritdoc/>
    static EchoOption ITypedOption<EchoOption>.Create(OptionData data) => new(data.Value);
}
