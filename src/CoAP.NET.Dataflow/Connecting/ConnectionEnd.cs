namespace CoAP.NET.Connecting;

/// <summary>How a connection ended, or is about to.</summary>
/// <param name="WasReady">Whether the peer's CSM had come.</param>
/// <param name="Reason">Why; null when nobody said.</param>
/// <param name="HoldOff">How long the peer asked not to be connected to again (RFC 8323 section 5.5); null when it did not.</param>
/// <param name="AlternativeAddresses">Where the peer asked to connect to instead, each as host and optional port.</param>
internal readonly record struct ConnectionEnd(bool WasReady, CoapConnectionException? Reason, TimeSpan? HoldOff,
    IReadOnlyList<string> AlternativeAddresses);
