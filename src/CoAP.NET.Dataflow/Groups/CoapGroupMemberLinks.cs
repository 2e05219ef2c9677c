namespace CoAP.NET;

/// <summary>The links of one member of a group (RFC 6690).</summary>
public sealed class CoapGroupMemberLinks
{
    internal CoapGroupMemberLinks(CoapPeer peer, CoapUri uri, IReadOnlyList<CoapLink> links)
    {
        Peer = peer;
        Uri = uri;
        Links = links;
    }

    /// <summary>The member.</summary>
    public CoapPeer Peer { get; }

    /// <summary>The base of relative links: <c>/.well-known/core</c> at the member's own address.</summary>
    public CoapUri Uri { get; }

    /// <summary>The links.</summary>
    public IReadOnlyList<CoapLink> Links { get; }
}
