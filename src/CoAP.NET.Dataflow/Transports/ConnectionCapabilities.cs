namespace CoAP.NET.Transports;

/// <summary>The capabilities that the peer of a connection announced in its CSM (RFC 8323 section 5.3). Immutable.</summary>
internal sealed record ConnectionCapabilities
{
    /// <summary>The base values, which hold until a CSM says otherwise.</summary>
    public static ConnectionCapabilities Base { get; } = new();

    /// <summary>The maximum size of a message, in bytes; 1,152 until the CSM says otherwise.</summary>
    public int MaxMessageSize { get; init; } = (int)MaxMessageSizeOption.BaseValue;

    /// <summary>The longest token that the peer accepts, in bytes (RFC 8974 section 2.2.1).</summary>
    public int MaxTokenLength { get; init; } = CoapToken.MaxLength;

    /// <summary>Whether the CSM announces block-wise transfer (RFC 8323 section 5.3.2).</summary>
    public bool ReportsBlockSupport { get; init; }
}
