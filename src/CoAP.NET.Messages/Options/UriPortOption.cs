namespace CoAP.NET;

/// <summary>Uri-Port: the port of the resource, if it differs from the destination port of the request (RFC 7252 section 5.10.1).</summary>
/// <remarks>0 to 2 bytes.</remarks>
public sealed class UriPortOption : UIntOption, ITypedOption<UriPortOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="port">The port, 0 to 65,535.</param>
    /// <exception cref="ArgumentOutOfRangeException">The port is out of range.</exception>
    public UriPortOption(int port)
        : base(Definition, Check(port))
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.UriPort, "Uri-Port", OptionFormat.UInt, 0, 2, isRepeatable: false, OptionApplicability.Request)
        {
            Protection = OptionProtection.Unprotected,
            Caching = OptionCachingInRequests.Key,
            ForwardingInRequest = OptionForwarding.Consume,
        };

    /// <summary>The port, 0 to 65,535.</summary>
    public int Port => (int)Value;

    /// <inheritdoc/>
    static UriPortOption ITypedOption<UriPortOption>.Create(OptionData data) => new((int)data.GetUInt());

    private static uint Check(int port)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(port);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(port, ushort.MaxValue);
        return (uint)port;
    }
}
