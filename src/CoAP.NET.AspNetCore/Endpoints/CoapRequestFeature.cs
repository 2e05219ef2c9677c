namespace CoAP.NET.AspNetCore.Endpoints;

internal sealed record CoapRequestFeature(CoapRequestContext Request);
