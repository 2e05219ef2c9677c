namespace CoAP.NET;

/// <summary>Hop-Limit: how many proxies may still forward the request (RFC 8768 section 3).</summary>
/// <remarks>1 byte, 1 to 255; absent means 16 at the first proxy.</remarks>
public sealed class HopLimitOption : UIntOption, ITypedOption<HopLimitOption>
{
    /// <summary>The value that a proxy inserts if the option is absent: 16 (RFC 8768 section 3).</summary>
    internal const int DefaultValue = 16;

    /// <summary>Creates the option.</summary>
    /// <param name="hops">The number of proxies, 1 to 255.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number is out of range.</exception>
    public HopLimitOption(int hops)
        : base(Definition, Check(hops))
    {
    }

    private HopLimitOption(OptionData data)
        : base(Definition, data.GetUInt())
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.HopLimit, "Hop-Limit", OptionFormat.UInt, 1, 1, isRepeatable: false, OptionApplicability.Request)
        {
            Protection = OptionProtection.Unprotected,
            IsValid = static data => data.Value[0] != 0,
            ValidValues = "1 to 255",
            RefusesInvalid = true,

            // The remaining hops do not affect the resource, and each proxy writes its own.
            Caching = OptionCachingInRequests.NoKey,
            IsInBodyKey = false,
            ForwardingInRequest = OptionForwarding.Consume,
            ForwardingInResponse = OptionForwarding.Consume,
        };

    /// <summary>The number of proxies.</summary>
    /// <remarks>A received option may have 0, which is answered 4.00 (RFC 8768 section 3).</remarks>
    public int Hops => (int)Value;

    /// <inheritdoc/>
    static HopLimitOption ITypedOption<HopLimitOption>.Create(OptionData data) => new(data);

    internal static uint Check(int hops)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(hops, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(hops, byte.MaxValue);
        return (uint)hops;
    }
}
