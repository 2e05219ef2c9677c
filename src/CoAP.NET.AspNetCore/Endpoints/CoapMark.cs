namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Says of an endpoint whether it is served over CoAP; the last one counts.</summary>
/// <param name="IsServed">Whether it is.</param>
/// <param name="Configure">Says more about its CoAP routes; null for nothing.</param>
internal sealed record CoapMark(bool IsServed, Action<CoapRouteHandlerBuilder>? Configure);
