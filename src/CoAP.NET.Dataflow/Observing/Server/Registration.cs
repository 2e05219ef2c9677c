using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing;

/// <summary>A request that asks to observe a resource which can be observed. Made by the Resource stage before the handler runs.</summary>
/// <param name="Route">The route.</param>
/// <param name="Path">The path in the one form that notices of changes use.</param>
/// <param name="Settings">What the route says of its observers.</param>
/// <param name="Changes">How often the route had changed before the handler ran.</param>
/// <param name="Terms">What the resource itself says of its observers; null for nothing.</param>
internal sealed record Registration(
    RouteChanges Route, string Path, ObserveSettings Settings, int Changes, CoapObserverTerms? Terms = null) : ObservingExchange
{
    /// <inheritdoc/>
    public override bool IsForObservers => false;
}
