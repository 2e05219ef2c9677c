namespace CoAP.NET.Shard;

/// <summary>
/// A received request in a mesh with blocks of the application, which may still hold it when the endpoint stops: then Messaging answers it.
/// </summary>
internal sealed class RequestInUserBlock : ReceivedMessage
{
    internal RequestInUserBlock(CoapChannel channel, CoapMessageType type, ushort messageId, CoapMessage request)
        : base(channel, type, messageId) => Request = request;

    internal CoapMessage Request { get; }
}
