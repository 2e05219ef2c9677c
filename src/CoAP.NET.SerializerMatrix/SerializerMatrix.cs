using BenchmarkDotNet.Attributes;
using CoAP.NET.Options;
using CoAP.NET.Serialization;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// Reading and writing messages by their number of options and the size of their payload, synchronously and asynchronously. Derive a class
/// to measure a codec or options of your own in the same way: <see cref="CreateSerializer"/> is all that must be given. What is read comes
/// from a <see cref="MemoryStream"/>; what is written goes to one that is as large as the message from the beginning, so that its growth is
/// not measured. Both complete at once: what the asynchronous methods take more is their own price.
/// </summary>
[MemoryDiagnoser]
#pragma warning disable CA1001 // its streams are over arrays, and hold nothing
public abstract class SerializerMatrix
#pragma warning restore CA1001
{
    private const int Seed = 7252;
    private const int OptionLength = 255;

    private ICoapMessageSerializer _serializer = null!;
    private CoapMessage _message = null!;
    private byte[] _bytes = [];
    private byte[] _copy = [];
    private MemoryStream _source = null!;
    private MemoryStream _destination = null!;

    /// <summary>The message.</summary>
    [ParamsSource(nameof(Cases))]
    public MatrixCase Case { get; set; }

    /// <summary>What <see cref="SelectCases"/> gives.</summary>
    public IEnumerable<MatrixCase> Cases => SelectCases();

    /// <summary>The size of the message, in bytes.</summary>
    public long Size => _bytes.Length;

    /// <summary>Makes the message, and checks that all ways of reading and writing agree before anything is measured.</summary>
    /// <returns>A task that ends when everything is ready.</returns>
    /// <exception cref="InvalidOperationException">They do not.</exception>
    [GlobalSetup]
    public async Task SetupAsync()
    {
        _serializer = CreateSerializer();
        _message = CreateMessage(Case);
        _bytes = _serializer.Serialize(_message);
        _copy = new byte[_bytes.Length];
        _source = new MemoryStream(_bytes, writable: false);
        _destination = new MemoryStream(new byte[_bytes.Length], 0, _bytes.Length, writable: true, publiclyVisible: true);

        Expect(_serializer.Serialize(Deserialize()), nameof(Deserialize));
        Expect(_serializer.Serialize(await DeserializeAsync()), nameof(DeserializeAsync));
        if (DeserializeTyped() != Case.Options)
        {
            throw new InvalidOperationException(
                $"{GetType().Name} {Case}: {DeserializeTyped()} options were read instead of {Case.Options}.");
        }

        Serialize();
        Expect(_destination.GetBuffer(), nameof(Serialize));
        Array.Clear(_destination.GetBuffer());
        await SerializeAsync();
        Expect(_destination.GetBuffer(), nameof(SerializeAsync));
    }

    /// <summary>One copy of the bytes of the message: what nothing that writes or reads a stream gets below.</summary>
    [Benchmark(Baseline = true)]
    public void Copy() => _bytes.CopyTo(_copy, 0);

    /// <summary>From a stream. Options and payload are slices of one block of memory.</summary>
    /// <returns>The message.</returns>
    [Benchmark]
    public CoapMessage Deserialize()
    {
        _source.Position = 0;
        return _serializer.Deserialize(_source);
    }

    /// <summary>From a stream, asynchronously.</summary>
    /// <returns>The message.</returns>
    [Benchmark]
    public ValueTask<CoapMessage> DeserializeAsync()
    {
        _source.Position = 0;
        return _serializer.DeserializeAsync(_source);
    }

    /// <summary>From a stream, and every option as a typed object.</summary>
    /// <returns>How many options there were.</returns>
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

    /// <summary>Into a stream.</summary>
    [Benchmark]
    public void Serialize()
    {
        _destination.Position = 0;
        _serializer.Serialize(_destination, _message);
    }

    /// <summary>Into a stream, asynchronously.</summary>
    /// <returns>A task that ends when it is written.</returns>
    [Benchmark]
    public ValueTask SerializeAsync()
    {
        _destination.Position = 0;
        return _serializer.SerializeAsync(_destination, _message);
    }

    /// <summary>Says which messages are measured. Default: <see cref="MatrixCase.All"/>.</summary>
    /// <returns>Their sizes.</returns>
    protected virtual IEnumerable<MatrixCase> SelectCases() => MatrixCase.All;

    /// <summary>Makes the codec. Its limits must let the largest of <see cref="Cases"/> pass.</summary>
    /// <returns>The codec.</returns>
    protected abstract ICoapMessageSerializer CreateSerializer();

    /// <summary>
    /// Makes a message. Default: an acknowledgement with 2.01 Created, 8 bytes of token, options Uri-Path of 255 characters, and bytes of
    /// payload from a fixed seed.
    /// </summary>
    /// <param name="one">Its size.</param>
    /// <returns>The message.</returns>
    protected virtual CoapMessage CreateMessage(MatrixCase one)
    {
#pragma warning disable RS0030 // a fixed seed
        Random random = new(Seed);
#pragma warning restore RS0030
        byte[] token = new byte[CoapToken.MaxLength];
        random.NextBytes(token);
        CoapMessage message = new(CoapCode.Created)
        {
            Type = CoapMessageType.Acknowledgement,
            MessageId = (ushort)random.Next(),
            Token = new CoapToken(token)
        };
        byte[] segment = new byte[OptionLength];
        for (int i = 0; i < one.Options; i++)
        {
            for (int at = 0; at < OptionLength; at++)
            {
                segment[at] = (byte)random.Next('a', 'z' + 1);
            }

            message.Options.Add(OptionNumber.UriPath, segment);
        }

        byte[] payload = new byte[one.Payload];
        random.NextBytes(payload);
        message.Payload = payload;
        return message;
    }

    private void Expect(ReadOnlySpan<byte> bytes, string what)
    {
        if (!bytes.SequenceEqual(_bytes))
        {
            throw new InvalidOperationException($"{GetType().Name} {Case}: {what} gives other bytes.");
        }
    }
}
