namespace CoAP.NET.Explorer.Decoding;

/// <summary>The framing of messages.</summary>
internal enum WireFormat
{
    /// <summary>With type, Message ID and no length: UDP (RFC 7252 section 3).</summary>
    Datagram,

    /// <summary>With a length in front: TCP and TLS (RFC 8323 section 3.2).</summary>
    Stream,

    /// <summary>With a length of zero in front: WebSockets (RFC 8323 section 4.2).</summary>
    WebSocket,
}
