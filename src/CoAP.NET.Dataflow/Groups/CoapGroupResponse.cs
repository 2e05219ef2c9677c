namespace CoAP.NET;

/// <summary>The answer of one member to a request that was sent to a group (RFC 7252 section 8.2).</summary>
public sealed class CoapGroupResponse
{
    internal CoapGroupResponse(CoapResponse response, CoapPeer peer, CoapUri uri, CoapException? error)
    {
        Response = response;
        Peer = peer;
        Uri = uri;
        Error = error;
    }

    /// <summary>The member's response. It can be an error response, but members mostly suppress those.</summary>
    public CoapResponse Response { get; }

    /// <summary>The member, with its own address; further requests go to it alone.</summary>
    public CoapPeer Peer { get; }

    /// <summary>The URI of the answering resource, and the base of its links and Location (RFC 7252 section 8.2).</summary>
    /// <remarks>It is the URI of the request with the member's address and port in place of the group's.</remarks>
    public CoapUri Uri { get; }

    /// <summary>
    /// The reason why <see cref="Response"/> contains only the first block of the representation; null when it is complete.
    /// </summary>
    public CoapException? Error { get; }

    /// <summary>Formats URI and response for diagnostics.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Uri}: {Response}";
}
