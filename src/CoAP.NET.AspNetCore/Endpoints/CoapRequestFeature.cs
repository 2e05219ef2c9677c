namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>The CoAP request that a context was made for.</summary>
/// <param name="Request">The request.</param>
internal sealed record CoapRequestFeature(CoapRequest Request);
