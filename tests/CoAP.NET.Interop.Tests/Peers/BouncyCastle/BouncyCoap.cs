namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>The CoAP messages that ends by BouncyCastle send.</summary>
internal static class BouncyCoap
{
    /// <summary>The payload of each response of a server by BouncyCastle.</summary>
    public const string Hello = "hello from BouncyCastle";

    public static byte[] Request(string path)
    {
        CoapMessage request = new(CoapCode.Get) { Type = CoapMessageType.Confirmable, MessageId = 0x1234, Token = new CoapToken([7]) };
        request.Options.Add(new UriPathOption(path));
        return CoapDatagramSerializer.Default.Serialize(request);
    }

    public static byte[] Response(ReadOnlySpan<byte> datagram)
    {
        CoapMessage request = CoapDatagramSerializer.Default.Deserialize(datagram);
        return CoapDatagramSerializer.Default.Serialize(new CoapMessage(CoapCode.Content)
        {
            Type = CoapMessageType.Acknowledgement,
            MessageId = request.MessageId,
            Token = request.Token,
            Payload = Encoding.UTF8.GetBytes(Hello),
        });
    }

    public static string Payload(ReadOnlySpan<byte> datagram) =>
        Encoding.UTF8.GetString(CoapDatagramSerializer.Default.Deserialize(datagram).Payload.Span);
}
