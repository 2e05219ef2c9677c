namespace CoAP.NET.Proxy.Forwarding;

/// <summary>The key of equal requests, which share one response or one registration.</summary>
/// <param name="Upstream">The upstream that sends it.</param>
/// <param name="Request">The relevant parts of the request.</param>
/// <param name="Client">The client, if the response is not the same for all: a response from a secured transport is only for the client
/// that asked (RFC 7252 section 11.2). Otherwise null.</param>
internal readonly record struct RequestKey(UpstreamClient Upstream, string Request, CoapChannel? Client = null);
