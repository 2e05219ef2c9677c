using CoAP.NET.Transports;

namespace CoAP.NET.Dtls;

/// <summary>Which server a client makes a session with: what it chooses its pre-shared key by.</summary>
/// <param name="Host">The host of the request's URI; null when that is an address.</param>
/// <param name="Address">The server's address and port.</param>
/// <param name="IdentityHint">What the server says to help the choice (RFC 4279 section 5); null when it said nothing. Not proven by
/// anything.</param>
public sealed record CoapDtlsServerName(string? Host, CoapAddress Address, string? IdentityHint);
