namespace CoAP.NET.Proxy.Upstreams;

/// <summary>A row of <see cref="UpstreamFailures"/>.</summary>
/// <param name="Exception">The exception type; derived types match too.</param>
/// <param name="Code">The response code for the client.</param>
/// <param name="Text">The diagnostic payload. It must reveal nothing about the network behind the proxy.</param>
internal sealed record FailureRow(Type Exception, CoapCode Code, string Text);
