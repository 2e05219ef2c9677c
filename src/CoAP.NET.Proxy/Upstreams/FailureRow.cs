namespace CoAP.NET.Proxy.Upstreams;

/// <summary>A row of <see cref="UpstreamFailures"/>.</summary>
/// <param name="Exception">What was thrown; what derives from it counts too.</param>
/// <param name="Code">What the client is answered.</param>
/// <param name="Text">The diagnostic payload. It says nothing of the network behind the proxy that the client did not know.</param>
internal sealed record FailureRow(Type Exception, CoapCode Code, string Text);
