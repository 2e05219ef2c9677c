namespace CoAP.NET.Benchmarks.Tests;

/// <summary>The plain codec of the sample; one of its methods loses the payload. It counts conversions.</summary>
/// <param name="fault">The method; null for none.</param>
internal sealed class FaultyCodec(string? fault) : IMatrixCodec<PlainMessage>
{
    private readonly PlainCodec _codec = new();

    public int Conversions { get; private set; }

    public PlainMessage Convert(CoapMessage message)
    {
        Conversions++;
        return Spoil(_codec.Convert(message), nameof(Convert));
    }

    public PlainMessage Deserialize(ReadOnlySpan<byte> source) => Spoil(_codec.Deserialize(source), nameof(Deserialize));

    public async ValueTask<PlainMessage> DeserializeAsync(Stream source) =>
        Spoil(await _codec.DeserializeAsync(source), nameof(DeserializeAsync));

    public byte[] Serialize(PlainMessage message) => _codec.Serialize(Spoil(message, nameof(Serialize)));

    public ValueTask SerializeAsync(Stream destination, PlainMessage message) =>
        _codec.SerializeAsync(destination, Spoil(message, nameof(SerializeAsync)));

    private PlainMessage Spoil(PlainMessage message, string method) => method == fault ? message with { Payload = [] } : message;
}
