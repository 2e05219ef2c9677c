namespace CoAP.NET.Peers;

/// <summary>What a peer is.</summary>
internal enum ChannelKind : byte
{
    /// <summary>An address, from which datagrams come.</summary>
    Address,

    /// <summary>The other end of a security session over datagrams, wherever its datagrams come from (RFC 7252 section 9.1).</summary>
    Session,

    /// <summary>The other end of a connection (RFC 8323).</summary>
    Stream,
}
