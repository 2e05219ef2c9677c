using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing;

/// <summary>A request that observes an observable resource. The Resource stage creates it before the handler runs.</summary>
/// <param name="Route">The route.</param>
/// <param name="Path">The path in the normal form of change notices.</param>
/// <param name="Settings">The observer settings of the route.</param>
/// <param name="Changes">The number of changes of the route before the handler ran.</param>
/// <param name="Terms">The observer terms of the resource; null for none.</param>
internal sealed record Registration(
    RouteChanges Route, string Path, ObserveSettings Settings, int Changes, CoapObserverTerms? Terms = null) : ObservingExchange
{
    /// <inheritdoc/>
    public override bool IsForObservers => false;
}
