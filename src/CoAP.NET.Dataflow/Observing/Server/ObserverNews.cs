namespace CoAP.NET.Observing;

/// <summary>
/// Counts the observers of routes and tells who listens what becomes of them. Methods are called under the shard's lock; handlers of users
/// run when it is released.
/// </summary>
internal sealed class ObserverNews
{
    // An observer acknowledges a notification each day at least (RFC 7641 section 4.5); whoever keeps it is told half a day later again.
    private static readonly long s_confirmEvery = TimeSpan.FromHours(12).Ticks;

    private readonly CoapShard _shard;
    private readonly ObserverKeeping? _keeping;

    public ObserverNews(CoapShard shard, ObserverKeeping? keeping)
    {
        _shard = shard;
        _keeping = keeping;
    }

    /// <summary>A client is an observer now.</summary>
    /// <param name="observer">The observer.</param>
    /// <param name="before">The one whose place it takes; null when there was none. When it observed the same, nobody came or went.</param>
    public void Came(Observer observer, Observer? before)
    {
        observer.Subject.Route.CountObservers(1);
        if (before is not null && IsSame(observer.Subject, before.Subject))
        {
            observer.KeptAt = before.KeptAt;
            Confirm(observer);
            return;
        }

        observer.KeptAt = _shard.Environment.Now;
        _keeping?.Came(observer);
        if (observer.Subject.Route.Events is { } events && events.AddCame(observer.Channel, observer.Subject.Path))
        {
            _shard.AfterRelease(events);
        }
    }

    /// <summary>A client is an observer no more.</summary>
    /// <param name="observer">The observer.</param>
    /// <param name="end">Why.</param>
    /// <param name="successor">The one that takes its place; null when there is none.</param>
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

    /// <summary>A client acknowledged a notification.</summary>
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
            observer.KeptAt = _shard.Environment.Now;
            _keeping.Confirmed(observer);
        }
    }

    private static bool IsSame(Subject one, Subject other) =>
        one.Route == other.Route && string.Equals(one.Path, other.Path, StringComparison.Ordinal);
}
