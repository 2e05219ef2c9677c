using BenchmarkDotNet.Attributes;

namespace CoAP.NET.Benchmarks;

/// <summary>The messages of a benchmark of serializers.</summary>
/// <remarks>Derive <see cref="SerializerMatrix"/> or <see cref="CodecComparison{TMessage}"/>, which say what is measured.</remarks>
[MemoryDiagnoser]
public abstract class MessageMatrix
{
    private const int Seed = 7252;
    private const int OptionLength = 255;

    /// <summary>The message.</summary>
    [ParamsSource(nameof(Cases))]
    public MatrixCase Case { get; set; }

    /// <summary>The sizes that <see cref="SelectCases"/> returns.</summary>
    public IEnumerable<MatrixCase> Cases => SelectCases();

    /// <summary>Selects the messages to measure.</summary>
    /// <remarks>Default: <see cref="MatrixCase.All"/>.</remarks>
    /// <returns>Their sizes.</returns>
    protected virtual IEnumerable<MatrixCase> SelectCases() => MatrixCase.All;

    /// <summary>Makes a message.</summary>
    /// <remarks>
    /// Default: an acknowledgement with 2.01 Created, 8 bytes of token, options Uri-Path of 255 characters, and bytes of payload from a
    /// fixed seed.
    /// </remarks>
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
}
