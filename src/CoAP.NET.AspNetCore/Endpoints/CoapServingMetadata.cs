namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Marks whether an endpoint is served over CoAP; the last mark wins.</summary>
/// <param name="IsServed">Whether it is served.</param>
/// <param name="Configure">Configures its CoAP routes; null for nothing.</param>
internal sealed record CoapServingMetadata(bool IsServed, Action<CoapRouteHandlerBuilder>? Configure);
