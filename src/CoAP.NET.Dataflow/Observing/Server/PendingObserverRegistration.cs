using CoAP.NET.Resources;

namespace CoAP.NET.Observing.Server;

/// <summary>A request that observes an observable resource. The Resource stage creates it before the handler runs.</summary>
/// <param name="route">The route.</param>
/// <param name="path">The path in the normal form of change notices.</param>
/// <param name="settings">The observer settings of the route.</param>
/// <param name="changes">The number of changes of the route before the handler ran.</param>
/// <param name="resourceLimits">The limits of the resource for its observers; null for none.</param>
internal sealed class PendingObserverRegistration(
    ObservedRoute route, string path, RouteObserveSettings settings, int changes, CoapResourceObserverLimits? resourceLimits = null)
        : ServerExchangeObserveRole
{
    /// <inheritdoc/>
    public override bool IsForObservers => false;

    public ObservedRoute Route => route;

    public string Path => path;

    public RouteObserveSettings Settings => settings;

    public CoapResourceObserverLimits? ResourceLimits => resourceLimits;

    /// <summary>Whether something changed while the handler ran, so that its response may be older.</summary>
    public bool IsOutdated => route.Changes != changes;

    /// <summary>
    /// Registers the observer, or ends an earlier registration with the token, and adds the options to the answer of the handler. Takes the
    /// lock.
    /// </summary>
    /// <returns>The observer; null if the answer is that to a plain request.</returns>
    public Observer? Answer(ObserverTable observers, CoapExchange exchange, ref CoapResult result)
    {
        Observer? observer = null;
        uint number = 0;
        observers.Shard.Enter();
        try
        {
            if (result.Code.IsSuccess && !result.DeclinesObserver)
            {
                observer = observers.Register(exchange, this, result, out number);
            }
            else
            {
                observers.Deregister(exchange.Channel, exchange.Request.Message.Token, CoapObserverEnd.Failed);
            }
        }
        finally
        {
            observers.Shard.ExitAndSend();
        }

        result = observer is null ? WithoutObserve(result) : WithObserve(result, number, settings.MaxAge);
        return observer;
    }
}
