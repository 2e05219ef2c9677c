using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;

namespace CoAP.NET.Benchmarks;

/// <summary>Compares a codec with the library, in one table: each method has its ratio to the same method of the library.</summary>
/// <remarks>
/// Derive a class and give it to BenchmarkDotNet; only <see cref="CreateCodec"/> is required. Messages are converted before the
/// measurement. Streams complete at once, and the one that is written has room for the message before the measurement.
/// </remarks>
/// <typeparam name="TMessage">The codec's type of messages.</typeparam>
[CategoriesColumn]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
public abstract class CodecComparison<TMessage> : MessageMatrix
{
    private const string Library = "library";
    private const string Codec = "codec";

    private MeasuredCodec<CoapMessage> _library = null!;
    private MeasuredCodec<TMessage> _codec = null!;

    /// <summary>Makes the messages, and checks that the codec reads and writes the bytes of the library before the measurement.</summary>
    /// <remarks>Synchronous: BenchmarkDotNet does not await an asynchronous setup in process, and would measure a wrong codec.</remarks>
    /// <exception cref="InvalidOperationException">The codec writes other bytes than the library, or loses a part of what it
    /// reads.</exception>
    [GlobalSetup]
    public void Setup()
    {
        ICoapMessageSerializer library = CreateLibrary();
        IMatrixCodec<TMessage> codec = CreateCodec();
        CoapMessage message = CreateMessage(Case);
        byte[] bytes = library.Serialize(message);
        _library = new MeasuredCodec<CoapMessage>(new SerializerCodecAdapter(library), message, bytes);
        _library.Check($"{library.GetType().Name} {Case}");
        _codec = new MeasuredCodec<TMessage>(codec, codec.Convert(message), bytes);
        _codec.Check($"{codec.GetType().Name} {Case}");
    }

    /// <summary>The library reads from a span.</summary>
    /// <returns>The message.</returns>
    [BenchmarkCategory(nameof(IMatrixCodec<>.Deserialize))]
    [Benchmark(Baseline = true, Description = Library)]
    public CoapMessage DeserializeByLibrary() => _library.Deserialize();

    /// <summary>The codec reads from a span.</summary>
    /// <returns>The message.</returns>
    [BenchmarkCategory(nameof(IMatrixCodec<>.Deserialize))]
    [Benchmark(Description = Codec)]
    public TMessage DeserializeByCodec() => _codec.Deserialize();

    /// <summary>The library reads from a stream, asynchronously.</summary>
    /// <returns>The message.</returns>
    [BenchmarkCategory(nameof(IMatrixCodec<>.DeserializeAsync))]
    [Benchmark(Baseline = true, Description = Library)]
    public ValueTask<CoapMessage> DeserializeAsyncByLibrary() => _library.DeserializeAsync();

    /// <summary>The codec reads from a stream, asynchronously.</summary>
    /// <returns>The message.</returns>
    [BenchmarkCategory(nameof(IMatrixCodec<>.DeserializeAsync))]
    [Benchmark(Description = Codec)]
    public ValueTask<TMessage> DeserializeAsyncByCodec() => _codec.DeserializeAsync();

    /// <summary>The library writes into a new array.</summary>
    /// <returns>The bytes.</returns>
    [BenchmarkCategory(nameof(IMatrixCodec<>.Serialize))]
    [Benchmark(Baseline = true, Description = Library)]
    public byte[] SerializeByLibrary() => _library.Serialize();

    /// <summary>The codec writes into a new array.</summary>
    /// <returns>The bytes.</returns>
    [BenchmarkCategory(nameof(IMatrixCodec<>.Serialize))]
    [Benchmark(Description = Codec)]
    public byte[] SerializeByCodec() => _codec.Serialize();

    /// <summary>The library writes to a stream, asynchronously.</summary>
    /// <returns>A task that completes when the message is written.</returns>
    [BenchmarkCategory(nameof(IMatrixCodec<>.SerializeAsync))]
    [Benchmark(Baseline = true, Description = Library)]
    public ValueTask SerializeAsyncByLibrary() => _library.SerializeAsync();

    /// <summary>The codec writes to a stream, asynchronously.</summary>
    /// <returns>A task that completes when the message is written.</returns>
    [BenchmarkCategory(nameof(IMatrixCodec<>.SerializeAsync))]
    [Benchmark(Description = Codec)]
    public ValueTask SerializeAsyncByCodec() => _codec.SerializeAsync();

    /// <summary>Makes the codec.</summary>
    /// <returns>The codec.</returns>
    protected abstract IMatrixCodec<TMessage> CreateCodec();

    /// <summary>Makes the serializer of the library that the codec is compared with; both write the same format.</summary>
    /// <remarks>Default: the format of datagrams (RFC 7252 section 3), for messages of any size.</remarks>
    /// <returns>The serializer.</returns>
    protected virtual ICoapMessageSerializer CreateLibrary() =>
        new CoapDatagramSerializer(new CoapSerializerOptions { MaxMessageSize = int.MaxValue, MaxOptions = int.MaxValue });

    /// <summary>Selects the messages to measure.</summary>
    /// <remarks>Default: with and without 3 options, each with and without 1,000 bytes of payload.</remarks>
    /// <returns>Their sizes.</returns>
    protected override IEnumerable<MatrixCase> SelectCases() => [new(0, 0), new(0, 1000), new(3, 0), new(3, 1000)];
}
