using BenchmarkDotNet.Attributes;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// Reading and writing by number of options and size of payload: from a span and from a stream, into a new array and to a stream.
/// </summary>
/// <remarks>
/// Derive a class to measure a codec or options of your own; only <see cref="CreateSerializer"/> is required. Ratios are to
/// <see cref="Copy"/>; <see cref="CodecComparison{TMessage}"/> has ratios to the library. The streams complete at once, and the one that is
/// written has room for the message before the measurement.
/// </remarks>
public abstract class SerializerMatrix : MessageMatrix
{
    private ICoapMessageSerializer _serializer = null!;
    private MeasuredCodec<CoapMessage> _codec = null!;

    /// <summary>The size of the message, in bytes.</summary>
    public long Size => _codec.Bytes.Length;

    /// <summary>Makes the message, and checks that all methods agree before the measurement.</summary>
    /// <remarks>Synchronous: BenchmarkDotNet does not await an asynchronous setup in process, and would measure a wrong codec.</remarks>
    /// <exception cref="InvalidOperationException">A method reads another message or writes other bytes.</exception>
    [GlobalSetup]
    public void Setup()
    {
        _serializer = CreateSerializer();
        CoapMessage message = CreateMessage(Case);
        _codec = new MeasuredCodec<CoapMessage>(new SerializerCodecAdapter(_serializer), message, _serializer.Serialize(message));
        string owner = $"{GetType().Name} {Case}";
        _codec.Check(owner);
        _codec.Expect(_serializer.Serialize(DeserializeFromStream()), owner, nameof(DeserializeFromStream));
        _codec.Clear();
        SerializeToStream();
        _codec.ExpectWritten(owner, nameof(SerializeToStream));
        int options = DeserializeTyped();
        if (options != Case.Options)
        {
            throw new InvalidOperationException($"{owner}: {options} options were read instead of {Case.Options}.");
        }
    }

    /// <summary>One copy of the bytes of the message, from array to array.</summary>
    [Benchmark(Baseline = true)]
    public void Copy() => _codec.Copy();

    /// <summary>Reads from a span; the message has its own copy of the bytes.</summary>
    /// <returns>The message.</returns>
    [Benchmark]
    public CoapMessage Deserialize() => _codec.Deserialize();

    /// <summary>Reads from a stream, asynchronously.</summary>
    /// <returns>The message.</returns>
    [Benchmark]
    public ValueTask<CoapMessage> DeserializeAsync() => _codec.DeserializeAsync();

    /// <summary>Reads from a stream, synchronously.</summary>
    /// <returns>The message.</returns>
    [Benchmark]
    public CoapMessage DeserializeFromStream() => _serializer.Deserialize(_codec.Source);

    /// <summary>Reads from a span, and every option as a typed object.</summary>
    /// <returns>The number of options.</returns>
    [Benchmark]
    public int DeserializeTyped()
    {
        int count = 0;
        foreach (CoapOption option in Deserialize().Options)
        {
            count += option is null ? 0 : 1;
        }

        return count;
    }

    /// <summary>Writes into a new array.</summary>
    /// <returns>The bytes.</returns>
    [Benchmark]
    public byte[] Serialize() => _codec.Serialize();

    /// <summary>Writes to a stream, asynchronously.</summary>
    /// <returns>A task that completes when the message is written.</returns>
    [Benchmark]
    public ValueTask SerializeAsync() => _codec.SerializeAsync();

    /// <summary>Writes to a stream, synchronously.</summary>
    [Benchmark]
    public void SerializeToStream() => _serializer.Serialize(_codec.Destination, _codec.Message);

    /// <summary>Makes the codec. Its limits must let the largest of <see cref="MessageMatrix.Cases"/> pass.</summary>
    /// <returns>The codec.</returns>
    protected abstract ICoapMessageSerializer CreateSerializer();
}
