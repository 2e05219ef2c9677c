namespace CoAP.NET.Observing;

/// <summary>
/// Tells the observers of all shards of an endpoint what changed. Any thread may call; nothing throws, waits for observers or runs
/// handlers. Without observers it costs a read. It takes the locks of the shards, one after the other.
/// </summary>
internal sealed class ChangeNotice(CoapEnvironment environment, ObserverPlaces places, ObserverLayer[] layers)
{
    // A program that tells of a wrong path does so again and again.
    private static readonly long s_logEvery = TimeSpan.FromMinutes(1).Ticks;

    private long _nextLog = long.MinValue;

    /// <summary>Everything that a route serves may have changed.</summary>
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
                layer.Runs.Mark(layer.Table.SubjectsOf(route));
            }
            finally
            {
                layer.Shard.Exit();
            }
        }
    }

    /// <summary>The resource of a path may have changed.</summary>
    /// <returns>How many observe it.</returns>
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
                observers += layer.Runs.Mark(layer.Table.SubjectsAt(path));
            }
            finally
            {
                layer.Shard.Exit();
            }
        }

        return observers;
    }

    /// <summary>How many observe a path.</summary>
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
                observers += layer.Table.SubjectsAt(path)?.Sum(static subject => subject.Observers.Count) ?? 0;
            }
        }

        return observers;
    }

    /// <summary>A change was told of what cannot have observers: a mistake in the program, which is logged now and then.</summary>
    /// <param name="path">The path or template.</param>
    /// <param name="isServed">Whether there is a route at all.</param>
    public void ReachesNobody(string path, bool isServed)
    {
        long next = Volatile.Read(ref _nextLog);
        long now = environment.Now;
        if (now >= next && Interlocked.CompareExchange(ref _nextLog, now + s_logEvery, next) == next)
        {
            Log.NoticeReachesNobody(environment.Logger, path,
                isServed ? "the route is not Observable(), so it has no observers" : "no route serves GET or FETCH of this path");
        }
    }

    /// <summary>A route was removed: its observers are told 4.04 and forgotten.</summary>
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
}
