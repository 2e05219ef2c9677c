namespace CoAP.NET.Benchmarks;

/// <summary>A serializer of the library, or one with its interface, as a codec that a benchmark measures.</summary>
/// <param name="serializer">The serializer.</param>
/// <exception cref="ArgumentNullException">The serializer is null.</exception>
public sealed class SerializerCodecAdapter(ICoapMessageSerializer serializer) : IMatrixCodec<CoapMessage>
{
    private readonly ICoapMessageSerializer _serializer = serializer ?? throw new ArgumentNullException(nameof(serializer));

    /// <inheritdoc/>
    public CoapMessage Convert(CoapMessage message) => message;

    /// <inheritdoc/>
    public CoapMessage Deserialize(ReadOnlySpan<byte> source) => _serializer.Deserialize(source);

    /// <inheritdoc/>
    public ValueTask<CoapMessage> DeserializeAsync(Stream source) => _serializer.DeserializeAsync(source);

    /// <inheritdoc/>
    public byte[] Serialize(CoapMessage message) => _serializer.Serialize(message);

    /// <inheritdoc/>
    public ValueTask SerializeAsync(Stream destination, CoapMessage message) => _serializer.SerializeAsync(destination, message);
}
