using CoAP.NET.Options;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>Frames of RFC 8323 as messages and as hexadecimal digits.</summary>
internal static class Frames
{
    private static readonly CoapStreamSerializer s_serializer =
        new(new CoapSerializerOptions { MaxMessageSize = 64 << 20, MaxTokenLength = CoapToken.MaxExtendedLength });

    public static CoapMessage Read(string hex) => s_serializer.Deserialize(Wire.Hex(hex));

    public static string Write(CoapMessage message) => Wire.Hex(s_serializer.Serialize(message));

    /// <summary>A CSM that says what a peer takes.</summary>
    public static string Csm(uint? maxMessageSize, bool blocks = true, int? tokenLength = null)
    {
        CoapMessage csm = new(CoapCode.Csm);
        if (maxMessageSize is { } size)
        {
            csm.Options.Add(new MaxMessageSizeOption(size));
        }

        if (blocks)
        {
            csm.Options.Add(new BlockWiseTransferOption());
        }

        if (tokenLength is { } length)
        {
            csm.Options.Add(new ExtendedTokenLengthOption(length));
        }

        return Write(csm);
    }

    /// <summary>A request with the token aa.</summary>
    public static CoapMessage Request(CoapMethod method, string path, string? block1 = null, string? block2 = null,
        ReadOnlyMemory<byte> payload = default, string token = "aa")
    {
        CoapMessage request = new(method) { Token = new CoapToken(Wire.Hex(token)), Payload = payload };
        request.Options.Add(OptionNumber.UriPath, Encoding.UTF8.GetBytes(path));
        AddBlock(request, OptionNumber.Block2, block2);
        AddBlock(request, OptionNumber.Block1, block1);
        return request;
    }

    /// <summary>The response to a request, with Block options of hexadecimal digits.</summary>
    public static CoapMessage Reply(CoapMessage request, CoapCode code, string? block1 = null, string? block2 = null,
        ReadOnlyMemory<byte> payload = default)
    {
        CoapMessage response = new(code) { Token = request.Token, Payload = payload };
        AddBlock(response, OptionNumber.Block2, block2);
        AddBlock(response, OptionNumber.Block1, block1);
        return response;
    }

    /// <summary>The value of an option as hexadecimal digits; null when the message has none.</summary>
    public static string? ValueOf(this CoapMessage message, int number) =>
        message.Options.TryGetValue(number, out ReadOnlySpan<byte> value) ? Wire.Hex(value) : null;

    public static string? Block1Of(this CoapMessage message) => message.ValueOf(OptionNumber.Block1);

    public static string? Block2Of(this CoapMessage message) => message.ValueOf(OptionNumber.Block2);

    public static byte[] Bytes(int length, int seed = 1)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    public static byte[] Join(params ReadOnlyMemory<byte>[] parts) => [.. parts.SelectMany(part => part.ToArray())];

    private static void AddBlock(CoapMessage message, int number, string? value)
    {
        if (value is not null)
        {
            message.Options.Add(number, Wire.Hex(value));
        }
    }
}
