namespace CoAP.NET;

/// <summary>
/// Observe: in a GET or FETCH request 0 registers and 1 deregisters an observer; in a 2.xx response a sequence number that orders
/// notifications (RFC 7641 section 2).
/// </summary>
/// <remarks>0 to 3 bytes.</remarks>
public sealed class ObserveOption : UIntOption, ITypedOption<ObserveOption>
{
    /// <summary>The value of a request that registers (RFC 7641 section 2).</summary>
    public const uint RegisterValue = 0;

    /// <summary>The value of a request that deregisters (RFC 7641 section 2).</summary>
    public const uint DeregisterValue = 1;

    /// <summary>The largest sequence number: 24 bits (RFC 7641 section 2).</summary>
    internal const uint MaxValue = 0xff_ffff;

    /// <summary>Creates the option.</summary>
    /// <param name="value">0 or 1 in a request; a sequence number of 0 to 16,777,215 in a response.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number needs more than 3 bytes.</exception>
    public ObserveOption(uint value)
        : base(Definition, value)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.Observe, "Observe", OptionFormat.UInt, 0, 3, isRepeatable: false, OptionApplicability.Both)
        {
            Methods = [CoapCode.Get, CoapCode.Fetch],
            Caching = OptionCachingInRequests.StoreOnly,
            Storing = OptionCachingInResponses.Drop,
            IsInBodyKey = false,
            ForwardingInRequest = OptionForwarding.Consume,
            ForwardingInResponse = OptionForwarding.Consume,
            Special = RequestOptionFlags.Observe,
        };

    internal static ObserveOption Register { get; } = new(RegisterValue);

    internal static ObserveOption Deregister { get; } = new(DeregisterValue);

    /// <inheritdoc/>
    static ObserveOption ITypedOption<ObserveOption>.Create(OptionData data) => new(data.GetUInt());
}
