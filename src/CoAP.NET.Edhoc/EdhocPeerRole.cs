namespace CoAP.NET.Edhoc;

/// <summary>The role of a peer in CoAP, independent of its role in EDHOC.</summary>
public enum EdhocPeerRole
{
    /// <summary>The peer is the client that sent the requests.</summary>
    Client,

    /// <summary>The peer is the server that this side addressed.</summary>
    Server,
}
