namespace CoAP.NET.Observing.Server;

/// <summary>
/// The observed subjects of a shard, by request, by route and by path. It informs followers when a path or a route gets its first observer
/// or loses the last one. Guarded by the shard's lock.
/// </summary>
internal sealed class ObservedSubjectTable(ObserverTable table)
{
    private readonly Dictionary<ObservedSubjectKey, ObservedSubject> _byKey = [];
    private readonly Dictionary<ObservedRoute, HashSet<ObservedSubject>> _byRoute = [];
    private readonly Dictionary<string, HashSet<ObservedSubject>> _byPath = new(StringComparer.Ordinal);

    /// <summary>The followers; empty for none.</summary>
    public ServerToServerChangeFeed[] Feeds { get; set; } = [];

    /// <summary>The names of all observed paths and routes.</summary>
    public IEnumerable<string> Names => _byPath.Keys.Concat(_byRoute.Keys.Select(static route => route.Name));

    public ObservedSubject? Find(ObservedSubjectKey key) => _byKey.GetValueOrDefault(key);

    /// <summary>Returns the observed subjects of a route; null for none.</summary>
    public IReadOnlyCollection<ObservedSubject>? Of(ObservedRoute route) => _byRoute.GetValueOrDefault(route);

    /// <summary>Returns the observed subjects at a path; null for none.</summary>
    public IReadOnlyCollection<ObservedSubject>? At(string path) => _byPath.GetValueOrDefault(path);

    /// <summary>Adds a subject.</summary>
    /// <param name="key">Its key, which it owns.</param>
    /// <param name="registration">Its first registration.</param>
    /// <param name="special">The other special options of the request.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public ObservedSubject Add(ObservedSubjectKey key, PendingObserverRegistration registration, RequestOptionFlags special, long now)
    {
        ObservedSubject subject = new(table, key, registration, special, now);
        _byKey.Add(key, subject);
        AddTo(_byRoute, subject.Route, subject.Route.Name, subject);
        AddTo(_byPath, subject.Path, subject.Path, subject);
        return subject;
    }

    /// <summary>Removes a subject without observers.</summary>
    public void Remove(ObservedSubject subject)
    {
        _byKey.Remove(subject.Key);
        table.Shard.Wheel.Cancel(subject);
        RemoveFrom(_byRoute, subject.Route, subject.Route.Name, subject);
        RemoveFrom(_byPath, subject.Path, subject.Path, subject);
    }

    private void AddTo<TKey>(Dictionary<TKey, HashSet<ObservedSubject>> index, TKey key, string name, ObservedSubject subject)
        where TKey : notnull
    {
        if (!index.TryGetValue(key, out HashSet<ObservedSubject>? subjects))
        {
            index.Add(key, subjects = []);
            Note(name, isObserved: true);
        }

        subjects.Add(subject);
    }

    private void RemoveFrom<TKey>(Dictionary<TKey, HashSet<ObservedSubject>> index, TKey key, string name, ObservedSubject subject)
        where TKey : notnull
    {
        if (index.TryGetValue(key, out HashSet<ObservedSubject>? subjects) && subjects.Remove(subject) && subjects.Count == 0)
        {
            index.Remove(key);
            Note(name, isObserved: false);
        }
    }

    private void Note(string name, bool isObserved)
    {
        foreach (ServerToServerChangeFeed feed in Feeds)
        {
            feed.Note(name, table.Shard, isObserved);
        }
    }
}
