using CoAP.NET.Exchanges;

namespace CoAP.NET.Resources;

/// <summary>A request on its way to a handler.</summary>
/// <param name="Run">Runs the handler, for the block that offers the response.</param>
/// <param name="Exchange">The request.</param>
/// <param name="Route">The route that matched.</param>
internal readonly record struct RouteCall(HandlerRun Run, CoapExchange Exchange, Route Route)
{
    /// <summary>The block that offers the response.</summary>
    public ResourceInbound Stage => Run.Stage;
}
