namespace CoAP.NET.Benchmarks;

/// <summary>The two wire formats.</summary>
public enum WireFormat
{
    /// <summary>RFC 7252 section 3.</summary>
    Datagram,

    /// <summary>RFC 8323 section 3.2.</summary>
    Stream,
}

/// <summary>The one place that knows the classes behind the interface.</summary>
internal static class WireFormats
{
    public static ICoapMessageSerializer Serializer(this WireFormat format) =>
        format == WireFormat.Datagram ? CoapDatagramSerializer.Default : CoapStreamSerializer.Default;
}
