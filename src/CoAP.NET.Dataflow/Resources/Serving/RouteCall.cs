using CoAP.NET.Exchanges;

namespace CoAP.NET.Resources;

/// <summary>A request on its way to a handler.</summary>
/// <param name="Stage">The block that offers the answer.</param>
/// <param name="Exchange">The request.</param>
/// <param name="Route">The route that matched.</param>
internal readonly record struct RouteCall(ResourceInbound Stage, CoapExchange Exchange, Route Route);
