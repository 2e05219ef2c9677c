namespace CoAP.NET.Benchmarks;

/// <summary>
/// Reading and writing typical messages, synchronously and asynchronously. Both sides of each pair use the same stream in memory, so that
/// what they differ by is the price of being asynchronous; reading from memory and writing into a span show what the formats cost without a
/// stream.
/// </summary>
[MemoryDiagnoser]
public class CodecBenchmarks
{
    private ICoapMessageSerializer _serializer = null!;
    private CoapMessage _message = null!;
    private byte[] _bytes = [];
    private byte[] _buffer = [];
    private MemoryStream _source = null!;
    private MemoryStream _destination = null!;

    /// <summary>The wire format.</summary>
    [ParamsAllValues]
    public WireFormat Format { get; set; }

    /// <summary>The message.</summary>
    [ParamsAllValues]
    public Shape Shape { get; set; }

    /// <summary>
    /// Makes the message and its bytes, and checks that all ways of reading and writing agree before anything is measured. Synchronous:
    /// BenchmarkDotNet does not await an asynchronous setup in process.
    /// </summary>
    [GlobalSetup]
    public void Setup()
    {
        _serializer = Format.Serializer();
        _message = Shapes.Make(Shape);
        _bytes = _serializer.Serialize(_message);
        _buffer = new byte[_bytes.Length];
        _source = new MemoryStream(_bytes, writable: false);
        _destination = new MemoryStream(new byte[_bytes.Length], 0, _bytes.Length, writable: true, publiclyVisible: true);

        Expect(_serializer.Serialize(DeserializeMemory()));
        Expect(_serializer.Serialize(Deserialize()));
        Expect(_serializer.Serialize(DeserializeAsync().AsTask().GetAwaiter().GetResult()));
        SerializeSpan();
        Expect(_buffer);
        Serialize();
        Expect(_destination.ToArray());
        Array.Clear(_destination.GetBuffer());
        SerializeAsync().AsTask().GetAwaiter().GetResult();
        Expect(_destination.ToArray());
    }

    /// <summary>From memory, without copying.</summary>
    [Benchmark]
    public CoapMessage DeserializeMemory() => _serializer.Deserialize(_bytes.AsMemory());

    /// <summary>From a stream.</summary>
    [Benchmark]
    public CoapMessage Deserialize()
    {
        _source.Position = 0;
        return _serializer.Deserialize(_source);
    }

    /// <summary>From a stream, asynchronously.</summary>
    [Benchmark]
    public ValueTask<CoapMessage> DeserializeAsync()
    {
        _source.Position = 0;
        return _serializer.DeserializeAsync(_source);
    }

    /// <summary>Into a span.</summary>
    [Benchmark]
    public bool SerializeSpan() => _serializer.TrySerialize(_buffer, _message, out _);

    /// <summary>Into a stream.</summary>
    [Benchmark]
    public void Serialize()
    {
        _destination.Position = 0;
        _serializer.Serialize(_destination, _message);
    }

    /// <summary>Into a stream, asynchronously.</summary>
    [Benchmark]
    public ValueTask SerializeAsync()
    {
        _destination.Position = 0;
        return _serializer.SerializeAsync(_destination, _message);
    }

    private void Expect(ReadOnlySpan<byte> bytes)
    {
        if (!bytes.SequenceEqual(_bytes))
        {
            throw new InvalidOperationException(
                $"{Format} {Shape}: {Convert.ToHexString(bytes)} instead of {Convert.ToHexString(_bytes)}.");
        }
    }
}
