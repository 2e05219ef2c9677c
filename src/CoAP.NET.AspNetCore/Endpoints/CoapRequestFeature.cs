namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>The CoAP request that an HTTP context was created for; a feature of that context.</summary>
internal sealed record CoapRequestFeature(CoapRequestContext Request);
