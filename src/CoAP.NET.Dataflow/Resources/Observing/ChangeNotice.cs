namespace CoAP.NET.Observing;

/// <summary>
/// Notifies the observers in all shards of an endpoint of changes. Thread-safe; it never throws, waits for observers or runs handlers.
/// Without observers it costs a read. It takes the locks of the shards, one after the other.
/// </summary>
internal sealed class ChangeNotice(CoapEnvironment environment, ObserverPlaces places, ObserverLayer[] layers)
{
    // A program that notifies a wrong path does so repeatedly.
    private static readonly long s_logEvery = TimeSpan.FromMinutes(1).Ticks;

    private readonly Lock _gate = new();
    private long _nextLog = long.MinValue;

    // Replaced as a whole; read without a lock.
    private CoapChangeFeed[] _feeds = [];

    /// <summary>Adds a follower of observed names and changes. It can take the observed names at once.</summary>
    public void Add(CoapChangeFeed feed)
    {
        lock (_gate)
        {
            Set([.. _feeds, feed]);
        }

        feed.TakeAll();
    }

    /// <summary>Removes a follower.</summary>
    public void Remove(CoapChangeFeed feed)
    {
        lock (_gate)
        {
            Set([.. _feeds.Where(other => other != feed)]);
        }
    }

    /// <summary>Reports a change to the followers. The caller must hold no lock.</summary>
    /// <param name="name">Its name.</param>
    public void Tell(string name)
    {
        foreach (CoapChangeFeed feed in Volatile.Read(ref _feeds))
        {
            feed.Tell(name);
        }
    }

    /// <summary>Returns the names of everything observed, of one shard after the other.</summary>
    public List<(string Name, int Shard)> ObservedNames()
    {
        List<(string Name, int Shard)> names = [];
        foreach (ObserverLayer layer in layers)
        {
            lock (layer.Shard.Gate)
            {
                names.AddRange(layer.Table.Observed.Names.Select(name => (name, layer.Shard.Index)));
            }
        }

        return names;
    }

    /// <summary>Handles a change of all resources of a route.</summary>
    public void Changed(RouteChanges route)
    {
        route.CountChange();
        if (places.Count == 0)
        {
            return;
        }

        foreach (ObserverLayer layer in layers)
        {
            layer.Shard.Enter();
            try
            {
                layer.Runs.Mark(layer.Table.Observed.Of(route));
            }
            finally
            {
                layer.Shard.Exit();
            }
        }
    }

    /// <summary>Handles a change of the resource at a path.</summary>
    /// <returns>The number of its observers.</returns>
    public int Changed(string path)
    {
        int observers = 0;
        if (places.Count == 0)
        {
            return observers;
        }

        foreach (ObserverLayer layer in layers)
        {
            layer.Shard.Enter();
            try
            {
                observers += layer.Runs.Mark(layer.Table.Observed.At(path));
            }
            finally
            {
                layer.Shard.Exit();
            }
        }

        return observers;
    }

    /// <summary>Handles a change of the resources with these terms, among those observed at a path.</summary>
    /// <returns>The number of their observers.</returns>
    public int Changed(string path, CoapObserverTerms terms)
    {
        int observers = 0;
        foreach (ObserverLayer layer in layers)
        {
            layer.Shard.Enter();
            try
            {
                // Observers of one subject made the same request, so they have the same terms.
                observers += layer.Runs.Mark(
                    layer.Table.Observed.At(path)?.Where(subject => subject.Observers.Exists(one => one.Terms == terms)).ToArray());
            }
            finally
            {
                layer.Shard.Exit();
            }
        }

        return observers;
    }

    /// <summary>Returns the number of observers of a path.</summary>
    public int CountAt(string path)
    {
        int observers = 0;
        if (places.Count == 0)
        {
            return observers;
        }

        foreach (ObserverLayer layer in layers)
        {
            lock (layer.Shard.Gate)
            {
                observers += layer.Table.Observed.At(path)?.Sum(static subject => subject.Observers.Count) ?? 0;
            }
        }

        return observers;
    }

    /// <summary>Logs a change of a resource that cannot have observers, an error in the program; rate-limited.</summary>
    /// <param name="path">The path or template.</param>
    /// <param name="isServed">Whether there is a route.</param>
    public void ReachesNobody(string path, bool isServed)
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
    public void Gone(RouteChanges route)
    {
        route.CountChange();
        foreach (ObserverLayer layer in layers)
        {
            layer.Shard.Enter();
            try
            {
                layer.Runs.OnGone(route);
            }
            finally
            {
                layer.Shard.Exit();
            }
        }
    }

    /// <summary>Applies another interval of Confirmable notifications in the terms of a resource. The caller must hold no lock.</summary>
    /// <param name="path">The path of the resource.</param>
    /// <param name="terms">The terms.</param>
    public void Rearm(string path, CoapObserverTerms terms) =>
        ForEachUnder(path, terms, static (layer, observer) => layer.Sender.ArmRefresh(observer, layer.Shard.Environment.Now));

    /// <summary>
    /// Ends observations of a resource that has more than its limit: first of the sources with the most, and of each source the observers
    /// that were silent for longest. The caller must hold no lock.
    /// </summary>
    /// <param name="path">The path of the resource.</param>
    /// <param name="terms">Its observer terms.</param>
    public void Trim(string path, CoapObserverTerms terms)
    {
        List<(ObserverLayer Layer, Observer Observer, long MovedAt)> all = [];
        ForEachUnder(path, terms, (layer, observer) => all.Add((layer, observer, observer.MovedAt)));
        IEnumerable<(ObserverLayer Layer, Observer Observer, long MovedAt)> order = all
            .GroupBy(static each => each.Observer.Peer.Place.Key)
            .SelectMany(static ofSource => ofSource.OrderByDescending(each => each.MovedAt).Select(static (each, rank) => (each, rank)))
            .OrderByDescending(static each => each.rank)
            .ThenBy(static each => each.each.MovedAt)
            .Select(static each => each.each);
        foreach ((ObserverLayer layer, Observer observer, _) in order)
        {
            if (terms.Excess <= 0)
            {
                return;
            }

            layer.Shard.Enter();
            try
            {
                if (!observer.IsRemoved)
                {
                    layer.Sender.End(observer, NotificationRuns.Gone, CoapObserverEnd.Replaced);
                }
            }
            finally
            {
                layer.Shard.Exit();
            }
        }
    }

    private void ForEachUnder(string path, CoapObserverTerms terms, Action<ObserverLayer, Observer> action)
    {
        foreach (ObserverLayer layer in layers)
        {
            layer.Shard.Enter();
            try
            {
                foreach (Observer observer in layer.Table.Observed.At(path)?.SelectMany(static subject => subject.Observers) ?? [])
                {
                    if (observer.Terms == terms)
                    {
                        action(layer, observer);
                    }
                }
            }
            finally
            {
                layer.Shard.Exit();
            }
        }
    }

    private void Set(CoapChangeFeed[] feeds)
    {
        Volatile.Write(ref _feeds, feeds);
        foreach (ObserverLayer layer in layers)
        {
            lock (layer.Shard.Gate)
            {
                layer.Table.Observed.Feeds = feeds;
            }
        }
    }
}
