namespace CoAP.NET;

/// <summary>The options and limits of a serializer.</summary>
/// <remarks>Limits apply before any allocation. Mutable until the first use by a serializer, which copies it.</remarks>
public sealed class CoapSerializerOptions
{
    /// <summary>The option factories.</summary>
    /// <remarks>Default: all that this library knows.</remarks>
    public CoapOptionRegistry Registry
    {
        get; set =>
        field = value ?? throw new ArgumentNullException(nameof(value));
    } = CoapOptionRegistry.Default;

    /// <summary>The largest message that is read, in bytes with its header.</summary>
    /// <remarks>Default: 65,535 in datagrams, 1 MiB in streams when null.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Below 4.</exception>
    public long? MaxMessageSize
    {
        get;
        set
        {
            if (value is { } size)
            {
                ArgumentOutOfRangeException.ThrowIfLessThan(size, 4, nameof(value));
            }

            field = value;
        }
    }

    /// <summary>The largest number of options that is read.</summary>
    /// <remarks>Default 256; at least 1.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxOptions
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            field = value;
        }
    }
    = 256;

    /// <summary>The longest token that is read, in bytes.</summary>
    /// <remarks>Default 65,804 (RFC 8974); 8 switches extended tokens off.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 8 to 65,804.</exception>
    public int MaxTokenLength
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, CoapToken.MaxLength);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, CoapToken.MaxExtendedLength);
            field = value;
        }
    }
    = CoapToken.MaxExtendedLength;

    /// <summary>Creates the options of a serializer that obeys the limits of an endpoint.</summary>
    internal static CoapSerializerOptions Of(CoapOptionRegistry registry, CoapMessageLimits limits, long? maxMessageSize = null) => new()
    {
        Registry = registry,
        MaxMessageSize = maxMessageSize,
        MaxOptions = CoapMessageLimits.MaxOptions,
        MaxTokenLength = limits.MaxTokenLength,
    };

    internal CoapSerializerOptions Clone() => (CoapSerializerOptions)MemberwiseClone();
}
