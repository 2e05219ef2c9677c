namespace CoAP.NET.Benchmarks;

/// <summary>The matrix in the format of RFC 8323 section 3.2, which has room for all of it.</summary>
public class StreamMatrix : SerializerMatrix
{
    /// <inheritdoc/>
    protected override ICoapMessageSerializer CreateSerializer() =>
        new CoapStreamSerializer(new CoapSerializerOptions { MaxMessageSize = int.MaxValue, MaxOptions = int.MaxValue });
}
