namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>Says of an endpoint that it is a proxy, and how targets are written behind it.</summary>
/// <param name="Template">The value of the attribute <c>hct</c> (RFC 8075 section 5.5).</param>
internal sealed record CoapProxyMetadata(string Template);
