namespace CoAP.NET.Observing;

/// <summary>
/// Counts the observers of routes and reports their changes. Called under the shard's lock; handlers of users run after it is released.
/// </summary>
internal sealed class ObserverNews
{
    // An observer acknowledges a notification at least once a day (RFC 7641 section 4.5); the keeper is informed again after half a day.
    private static readonly long s_confirmEvery = TimeSpan.FromHours(12).Ticks;

    private readonly CoapShard _shard;
    private readonly ObserverKeeping? _keeping;

    public ObserverNews(CoapShard shard, ObserverKeeping? keeping)
    {
        _shard = shard;
        _keeping = keeping;
    }

    /// <summary>Reports a new observer.</summary>
    /// <param name="observer">The observer.</param>
    /// <param name="before">The observer that it replaces; null for none. If that observed the same resource, there is no event.</param>
    public void Came(Observer observer, Observer? before)
    {
        observer.Subject.Route.CountObservers(1);
        if (before is not null && IsSame(observer.Subject, before.Subject))
        {
            observer.NoteKept(before.KeptAt);
            Confirm(observer);
            return;
        }

        observer.NoteKept(_shard.Environment.Now);
        _keeping?.Came(observer);
        if (observer.Subject.Route.Events is { } events && events.AddCame(observer.Channel, observer.Subject.Path))
        {
            _shard.AfterRelease(events);
        }
    }

    /// <summary>Reports that a client is no longer an observer.</summary>
    /// <param name="observer">The observer.</param>
    /// <param name="end">The reason.</param>
    /// <param name="successor">The observer that replaces it; null if there is none.</param>
    public void Went(Observer observer, CoapObserverEnd end, Observer? successor = null)
    {
        observer.Subject.Route.CountObservers(-1);
        if (successor is not null && IsSame(observer.Subject, successor.Subject))
        {
            return;
        }

        _keeping?.Went(observer, end);
        if (observer.Subject.Route.Events is { } events && events.AddWent(observer.Channel, observer.Subject.Path, end))
        {
            _shard.AfterRelease(events);
        }
    }

    /// <summary>Reports that a client acknowledged a notification.</summary>
    public void Acknowledged(Observer observer)
    {
        Confirm(observer);
        if (observer.Subject.Route.Events is { } events && events.AddAcknowledged(observer.Channel, observer.Subject.Path))
        {
            _shard.AfterRelease(events);
        }
    }

    private void Confirm(Observer observer)
    {
        if (_keeping is not null && _shard.Environment.Now - observer.KeptAt >= s_confirmEvery)
        {
            observer.NoteKept(_shard.Environment.Now);
            _keeping.Confirmed(observer);
        }
    }

    private static bool IsSame(Subject one, Subject other) =>
        one.Route == other.Route && string.Equals(one.Path, other.Path, StringComparison.Ordinal);
}
