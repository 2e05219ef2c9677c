namespace CoAP.NET;

/// <summary>The answer of one member to a request that was sent to a group (RFC 7252 section 8.2).</summary>
public sealed class CoapGroupResponse
{
    internal CoapGroupResponse(CoapResponse response, CoapPeer peer, string uri, CoapException? error)
    {
        Response = response;
        Peer = peer;
        Uri = uri;
        Error = error;
    }

    /// <summary>What it answered. An error response is one too; members mostly keep those back.</summary>
    public CoapResponse Response { get; }

    /// <summary>The member, by its own address; further requests go to it alone.</summary>
    public CoapPeer Peer { get; }

    /// <summary>
    /// The URI that the answer is from, and that its links and Location are relative to: that of the request with the member's address and
    /// port in place of the group's (RFC 7252 section 8.2).
    /// </summary>
    public string Uri { get; }

    /// <summary>
    /// Why the rest of the representation could not be had, so that <see cref="Response"/> is its first block only; null when all is there.
    /// </summary>
    public CoapException? Error { get; }

    /// <summary>Who answered what, for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Uri}: {Response}";
}
