namespace CoAP.NET.Observing.Server;

/// <summary>
/// Counts the observers of routes, and reports them to the handlers of the routes' events and to the observer store. Called under the
/// shard's lock; code of users runs after it is released.
/// </summary>
/// <param name="observerStore">The observer store; null for none.</param>
/// <param name="state">The state of the endpoint, for example stopping.</param>
/// <param name="environment">The environment of the endpoint.</param>
internal sealed class ObserverEvents(ICoapObserverStore? observerStore, EndpointState state, CoapEnvironment environment)
{
    // An observer acknowledges a notification at least once a day (RFC 7641 section 4.5); the observer store is informed again after half a
    // day.
    private static readonly long s_confirmEvery = TimeSpan.FromHours(12).Ticks;

    private readonly UserEventQueue<Action> _toStore =
        new(environment, report => UserEvents.Run(environment, nameof(ICoapObserverStore), report));

    /// <summary>Reports a new observer.</summary>
    /// <param name="observer">The observer.</param>
    /// <param name="before">The observer that it replaces; null for none. If that observed the same resource, there is no event.</param>
    public void Added(Observer observer, Observer? before)
    {
        observer.Subject.Route.CountObservers(1);
        if (before is not null && IsSame(observer.Subject, before.Subject))
        {
            observer.KeptAt = before.KeptAt;
            observer.ApplicationState = before.ApplicationState;
            Confirm(observer);
            return;
        }

        observer.KeptAt = environment.Now;
        ToStore(observer, static (observerStore, kept, _) => observerStore.Registered(kept));
        observer.Subject.Route.ReportAdded(observer);
    }

    /// <summary>Reports that a client is no longer an observer.</summary>
    /// <param name="observer">The observer.</param>
    /// <param name="end">The reason.</param>
    /// <param name="successor">The observer that replaces it; null if there is none.</param>
    public void Removed(Observer observer, CoapObserverEnd end, Observer? successor)
    {
        observer.Subject.Route.CountObservers(-1);
        if (successor is not null && IsSame(observer.Subject, successor.Subject))
        {
            return;
        }

        if (!state.IsStopping)
        {
            ToStore(observer, static (observerStore, kept, end) => observerStore.Removed(kept, end), end);
        }

        observer.Subject.Route.ReportRemoved(observer, end);
    }

    public void Acknowledged(Observer observer)
    {
        Confirm(observer);
        observer.Subject.Route.AddAcknowledged(observer);
    }

    private void Confirm(Observer observer)
    {
        if (observerStore is not null && environment.Now - observer.KeptAt >= s_confirmEvery)
        {
            observer.KeptAt = environment.Now;
            ToStore(observer, static (observerStore, kept, _) => observerStore.Confirmed(kept));
        }
    }

    // RFC 8323 section 7.4 ends those of connections; notifications of protected observers are bound to a request that only this process
    // has seen (RFC 8613 section 5.4). If too many reports wait, an unreported one costs a registration, or a rejected notification.
    private void ToStore(
        Observer observer, Action<ICoapObserverStore, CoapPersistedObserver, CoapObserverEnd> report, CoapObserverEnd end = default)
    {
        if (observerStore is null || observer.Channel.IsReliable || observer.Channel.Carried is not null)
        {
            return;
        }

        ObservedSubjectKey key = observer.Subject.Key.ToKeep();
        CoapMessage request = new(key.Code, key.Options!) { Token = observer.Token, Payload = key.Payload };
        CoapContentFormat? format = observer.Format < 0 ? null : new CoapContentFormat((ushort)observer.Format);
        CoapPersistedObserver kept = new(CoapPeer.Of(observer.Channel), request, format);
        _toStore.Add(observer.Channel.Shard, () => report(observerStore, kept, end));
    }

    private static bool IsSame(ObservedSubject one, ObservedSubject other) =>
        one.Route == other.Route && string.Equals(one.Path, other.Path, StringComparison.Ordinal);
}
