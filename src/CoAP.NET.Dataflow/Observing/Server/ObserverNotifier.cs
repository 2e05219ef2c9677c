using CoAP.NET.Resources;

namespace CoAP.NET.Observing.Server;

/// <summary>
/// Notifies the observers in all shards of an endpoint of changes. Thread-safe; it never throws, waits for observers or runs handlers.
/// Without observers it costs a read. It takes the locks of the shards, one after the other.
/// </summary>
internal sealed class ObserverNotifier(CoapEnvironment environment, ObserverQuota quota, ObserverTable[] tables)
{
    private static readonly CoapMessage s_gone = new(CoapCode.NotFound);

    // A program that notifies a wrong path does so repeatedly.
    private static readonly long s_logEvery = TimeSpan.FromMinutes(1).Ticks;

    private readonly Lock _gate = new();
    private long _nextLog = long.MinValue;

    // Replaced as a whole; read without a lock.
    private ServerToServerChangeFeed[] _feeds = [];

    /// <summary>Adds a follower of observed names and changes. It can take the observed names at once.</summary>
    public void Follow(ServerToServerChangeFeed feed)
    {
        lock (_gate)
        {
            Set([.. _feeds, feed]);
        }

        feed.TakeAll();
    }

    public void Unfollow(ServerToServerChangeFeed feed)
    {
        lock (_gate)
        {
            Set([.. _feeds.Where(other => other != feed)]);
        }
    }

    /// <summary>Reports a change to the followers. The caller must hold no lock.</summary>
    public void Report(string name)
    {
        foreach (ServerToServerChangeFeed feed in Volatile.Read(ref _feeds))
        {
            feed.Report(name);
        }
    }

    /// <summary>Returns the names of everything observed, of one shard after the other.</summary>
    public List<(string Name, int Shard)> ObservedNames()
    {
        List<(string Name, int Shard)> names = [];
        foreach (ObserverTable table in tables)
        {
            lock (table.Shard.Gate)
            {
                names.AddRange(table.Subjects.Names.Select(name => (name, table.Shard.Index)));
            }
        }

        return names;
    }

    /// <summary>Handles a change of all resources of a route.</summary>
    public void Notify(ObservedRoute route)
    {
        route.CountChange();
        if (quota.Count > 0)
        {
            Sum(route, static (table, route) => OnChanged(table, table.Subjects.Of(route)));
        }
    }

    /// <summary>Handles a change of the resources at a path.</summary>
    /// <param name="path">The path, in its normal form.</param>
    /// <param name="client">The only client for which they changed; null for all clients.</param>
    /// <returns>The number of their observers.</returns>
    public int Notify(string path, CoapChannel? client = null) => quota.Count == 0 ? 0
        : client is null ? Sum(path, static (table, path) => OnChanged(table, table.Subjects.At(path)))
        : Sum((path, client), static (table, of) => OnChanged(table, SubjectsFor(table, of.path, of.client)));

    /// <summary>Handles a change of the resources with these limits, among those observed at a path.</summary>
    /// <returns>The number of their observers.</returns>
    public int Notify(string path, CoapResourceObserverLimits resourceLimits) =>
        // Observers of one subject made the same request, so they have the same limits.
        Sum((path, resourceLimits), static (table, of) => OnChanged(
            table, table.Subjects.At(of.path)
                ?.Where(subject => subject.Observers.Exists(one => one.ResourceLimits == of.resourceLimits)).ToArray()));

    /// <summary>Returns the number of observers at a path.</summary>
    /// <param name="path">The path, in its normal form.</param>
    /// <param name="client">The only client whose observers count; null for all clients.</param>
    public int CountAt(string path, CoapChannel? client = null)
    {
        int observers = 0;
        if (quota.Count == 0)
        {
            return observers;
        }

        foreach (ObserverTable table in tables)
        {
            lock (table.Shard.Gate)
            {
                observers += (client is null ? table.Subjects.At(path) : SubjectsFor(table, path, client))
                    ?.Sum(static subject => subject.Observers.Count) ?? 0;
            }
        }

        return observers;
    }

    /// <summary>Logs a change of a resource that cannot have observers, an error in the program; rate-limited.</summary>
    public void WarnUnobservable(string path, bool isServed)
    {
        long next = Volatile.Read(ref _nextLog);
        long now = environment.Now;
        if (now >= next && Interlocked.CompareExchange(ref _nextLog, now + s_logEvery, next) == next)
        {
            ResourceLog.NoticeReachesNobody(environment.Logger, path,
                isServed ? "the route is not Observable(), so it has no observers" : "no route serves GET or FETCH of this path");
        }
    }

    /// <summary>Handles the removal of a route: its observers get 4.04 and are removed.</summary>
    public void Remove(ObservedRoute route)
    {
        route.CountChange();
        Sum(route, static (table, route) =>
        {
            foreach (ObservedSubject subject in table.Subjects.Of(route)?.ToArray() ?? [])
            {
                subject.EndAll(s_gone, CoapObserverEnd.Unmapped);
            }

            return 0;
        });
    }

    /// <summary>Applies another interval of Confirmable notifications in the limits of a resource. The caller must hold no lock.</summary>
    public void ApplyInterval(string path, CoapResourceObserverLimits resourceLimits) =>
        ForEach(path, resourceLimits, static observer => observer.ArmRefresh(observer.Channel.Shard.Environment.Now));

    /// <summary>
    /// Ends observations of a resource that has more than its limit: first of the sources with the most, and of each source the observers
    /// that were silent for longest. The caller must hold no lock.
    /// </summary>
    public void EndExcess(string path, CoapResourceObserverLimits resourceLimits)
    {
        List<(Observer Observer, long ActiveAt)> all = [];
        ForEach(path, resourceLimits, observer => all.Add((observer, observer.ActiveAt)));
        IEnumerable<Observer> order = all
            .GroupBy(static each => each.Observer.Peer.UsageEntry.Key)
            .SelectMany(static ofSource => ofSource.OrderByDescending(each => each.ActiveAt).Select(static (each, rank) => (each, rank)))
            .OrderByDescending(static each => each.rank)
            .ThenBy(static each => each.each.ActiveAt)
            .Select(static each => each.each.Observer);
        foreach (Observer observer in order)
        {
            if (resourceLimits.Excess <= 0)
            {
                return;
            }

            CoapShard shard = observer.Channel.Shard;
            shard.Enter();
            try
            {
                if (!observer.IsRemoved)
                {
                    observer.End(s_gone, CoapObserverEnd.Replaced);
                }
            }
            finally
            {
                shard.ExitAndSend();
            }
        }
    }

    private static int OnChanged(ObserverTable table, IReadOnlyCollection<ObservedSubject>? subjects)
    {
        int observers = 0;
        if (subjects is not null)
        {
            long now = table.Shard.Environment.Now;
            foreach (ObservedSubject subject in subjects)
            {
                observers += subject.OnChanged(now);
            }
        }

        return observers;
    }

    // The observers of a client are in the shard of its channel.
    private static ObservedSubject[]? SubjectsFor(ObserverTable table, string path, CoapChannel client) =>
        table.Shard != client.Shard ? null : table.Subjects.At(path)?.Where(subject => subject.Key.IsFor(client)).ToArray();

    private void ForEach(string path, CoapResourceObserverLimits resourceLimits, Action<Observer> action) =>
        Sum((path, resourceLimits, action), static (table, of) =>
        {
            foreach (Observer observer in table.Subjects.At(of.path)?.SelectMany(static subject => subject.Observers) ?? [])
            {
                if (observer.ResourceLimits == of.resourceLimits)
                {
                    of.action(observer);
                }
            }

            return 0;
        });

    // Adds up the results of an action for each shard, under its lock.
    private int Sum<TState>(TState state, Func<ObserverTable, TState, int> action)
    {
        int sum = 0;
        foreach (ObserverTable table in tables)
        {
            table.Shard.Enter();
            try
            {
                sum += action(table, state);
            }
            finally
            {
                table.Shard.ExitAndSend();
            }
        }

        return sum;
    }

    private void Set(ServerToServerChangeFeed[] feeds)
    {
        Volatile.Write(ref _feeds, feeds);
        foreach (ObserverTable table in tables)
        {
            lock (table.Shard.Gate)
            {
                table.Subjects.Feeds = feeds;
            }
        }
    }
}
