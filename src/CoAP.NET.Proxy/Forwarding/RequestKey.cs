namespace CoAP.NET.Proxy.Forwarding;

/// <summary>What equal requests have in common, for which one answer or one registration does.</summary>
/// <param name="Upstream">Who is asked.</param>
/// <param name="Request">What of the request counts.</param>
/// <param name="Identity">For whom, where it is not the same for everybody: what is asked over a secured transport stays with who asked
/// for it (RFC 7252 section 11.2). Null for everybody.</param>
internal readonly record struct RequestKey(CoapProxyUpstream Upstream, string Request, object? Identity = null);
