namespace CoAP.NET.Connecting;

/// <summary>The end of a connection, or its announcement.</summary>
/// <param name="WasReady">Whether the peer's CSM had arrived.</param>
/// <param name="Reason">The reason; null if it is unknown.</param>
/// <param name="HoldOff">How long the peer requested no new connection (RFC 8323 section 5.5); null if it did not.</param>
/// <param name="AlternativeAddresses">The alternative addresses of the peer, each as host and optional port.</param>
internal readonly record struct ConnectionEnd(bool WasReady, CoapConnectionException? Reason, TimeSpan? HoldOff,
    IReadOnlyList<string> AlternativeAddresses);
