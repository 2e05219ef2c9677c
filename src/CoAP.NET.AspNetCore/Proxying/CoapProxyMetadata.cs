namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>Marks an endpoint as a proxy, with the template of its targets.</summary>
/// <param name="Template">The value of the attribute <c>hct</c> (RFC 8075 section 5.5).</param>
internal sealed record CoapProxyMetadata(string Template);
