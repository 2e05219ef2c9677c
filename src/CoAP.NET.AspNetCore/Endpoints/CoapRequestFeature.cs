namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>The CoAP request of a context.</summary>
/// <param name="Request">The request.</param>
internal sealed record CoapRequestFeature(CoapRequestContext Request);
