namespace CoAP.NET.Peers;

/// <summary>What the remote end of a channel is.</summary>
internal enum ChannelKind : byte
{
    /// <summary>An address that sends datagrams.</summary>
    Address,

    /// <summary>The other end of a security session over datagrams, whatever its address (RFC 7252 section 9.1).</summary>
    Session,

    /// <summary>The other end of a connection (RFC 8323).</summary>
    Stream,
}
