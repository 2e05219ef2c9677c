using CoAP.NET.Transports;

namespace CoAP.NET.Dtls;

/// <summary>The server that a client opens a session with; selects the pre-shared key.</summary>
/// <param name="Host">The host of the request's URI; null when that is an address.</param>
/// <param name="Address">The server's address and port.</param>
/// <param name="IdentityHint">
/// The server's hint for the choice of the key (RFC 4279 section 5); null without one. The server has not proven anything yet.
/// </param>
public sealed record CoapDtlsServerName(string? Host, CoapAddress Address, string? IdentityHint);
