namespace CoAP.NET;

/// <summary>The links of one member of a group (RFC 6690).</summary>
/// <param name="Peer">The member.</param>
/// <param name="Uri">The base of relative links: <c>/.well-known/core</c> at the member's own address.</param>
/// <param name="Links">The links.</param>
public sealed record CoapGroupLinks(CoapPeer Peer, string Uri, IReadOnlyList<CoapLink> Links);
