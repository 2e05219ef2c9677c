namespace CoAP.NET;

/// <summary>The options and limits of a serializer.</summary>
/// <remarks>Limits apply before any allocation. Read-only once a serializer uses them.</remarks>
[HasSettings]
public sealed partial class CoapSerializerOptions
{
    /// <summary>The option factories.</summary>
    /// <remarks>Default: all that this library knows.</remarks>
    public partial CoapOptionRegistry Registry { get; set; } = CoapOptionRegistry.Default;

    /// <summary>The largest message that is read, in bytes with its header.</summary>
    /// <remarks>Default: 65,535 in datagrams, 1 MiB in streams when null.</remarks>
    [NumberRange(4, IsBytes = true)]
    public partial long? MaxMessageSize { get; set; }

    /// <summary>The largest number of options that is read.</summary>
    [NumberRange(1)]
    public partial int MaxOptions { get; set; } = 256;

    /// <summary>The longest token that is read, in bytes.</summary>
    /// <remarks>The maximum is that of RFC 8974; 8 switches extended tokens off.</remarks>
    [NumberRange(CoapToken.MaxLength, CoapToken.MaxExtendedLength)]
    public partial int MaxTokenLength { get; set; } = CoapToken.MaxExtendedLength;
}
