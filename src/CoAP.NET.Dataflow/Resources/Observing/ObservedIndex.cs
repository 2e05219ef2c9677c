namespace CoAP.NET.Observing;

/// <summary>
/// The observed subjects of a shard, by route and by path. It informs followers when a path or a route gets its first observer or loses the
/// last one. Guarded by the shard's lock.
/// </summary>
internal sealed class ObservedIndex(CoapShard shard)
{
    private readonly Dictionary<RouteChanges, HashSet<Subject>> _byRoute = [];
    private readonly Dictionary<string, HashSet<Subject>> _byPath = new(StringComparer.Ordinal);

    /// <summary>The followers; empty for none.</summary>
    public CoapChangeFeed[] Feeds { get; set; } = [];

    /// <summary>The names of all observed paths and routes.</summary>
    public IEnumerable<string> Names => _byPath.Keys.Concat(_byRoute.Keys.Select(static route => route.Name));

    /// <summary>Returns the observed subjects of a route; null for none.</summary>
    public IReadOnlyCollection<Subject>? Of(RouteChanges route) => _byRoute.GetValueOrDefault(route);

    /// <summary>Returns the observed subjects at a path; null for none.</summary>
    public IReadOnlyCollection<Subject>? At(string path) => _byPath.GetValueOrDefault(path);

    public void Add(Subject subject)
    {
        AddTo(_byRoute, subject.Route, subject.Route.Name, subject);
        AddTo(_byPath, subject.Path, subject.Path, subject);
    }

    public void Remove(Subject subject)
    {
        RemoveFrom(_byRoute, subject.Route, subject.Route.Name, subject);
        RemoveFrom(_byPath, subject.Path, subject.Path, subject);
    }

    private void AddTo<TKey>(Dictionary<TKey, HashSet<Subject>> index, TKey key, string name, Subject subject)
        where TKey : notnull
    {
        if (!index.TryGetValue(key, out HashSet<Subject>? subjects))
        {
            index.Add(key, subjects = []);
            Note(name, isObserved: true);
        }

        subjects.Add(subject);
    }

    private void RemoveFrom<TKey>(Dictionary<TKey, HashSet<Subject>> index, TKey key, string name, Subject subject)
        where TKey : notnull
    {
        if (index.TryGetValue(key, out HashSet<Subject>? subjects) && subjects.Remove(subject) && subjects.Count == 0)
        {
            index.Remove(key);
            Note(name, isObserved: false);
        }
    }

    private void Note(string name, bool isObserved)
    {
        foreach (CoapChangeFeed feed in Feeds)
        {
            feed.Note(name, shard, isObserved);
        }
    }
}
