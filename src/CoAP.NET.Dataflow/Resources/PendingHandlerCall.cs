namespace CoAP.NET.Resources;

/// <summary>A request on its way to a handler.</summary>
/// <param name="Run">Runs the handler, for the block that offers the response.</param>
/// <param name="Exchange">The request.</param>
/// <param name="Route">The route that matched.</param>
internal readonly record struct PendingHandlerCall(HandlerInvoker Run, CoapExchange Exchange, Route Route)
{
    /// <summary>The block that offers the response.</summary>
    public ResourceInboundBlock Stage => Run.Stage;
}
