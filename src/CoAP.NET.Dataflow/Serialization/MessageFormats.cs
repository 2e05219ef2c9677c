namespace CoAP.NET.Serialization;

/// <summary>The three formats that messages of an endpoint have on the wire.</summary>
/// <param name="Datagrams">RFC 7252 section 3.</param>
/// <param name="Streams">RFC 8323 section 3.2.</param>
/// <param name="WebSockets">RFC 8323 section 4.2.</param>
internal sealed record MessageFormats(ICoapMessageSerializer Datagrams, ICoapMessageSerializer Streams, ICoapMessageSerializer WebSockets)
{
    /// <summary>Without limits of an endpoint.</summary>
    public static MessageFormats Default { get; } = new(CoapDatagramSerializer.Default, CoapStreamSerializer.Default,
        CoapWebSocketSerializer.Default);

    public ICoapMessageSerializer Of(CoapChannel channel) =>
        !channel.Transport.IsReliable ? Datagrams : channel.Transport is CoapStreamTransport { HasMessages: true } ? WebSockets : Streams;
}
