namespace CoAP.NET.Observing;

/// <summary>Brings what changed to all shards of an endpoint. Without observers it costs a read.</summary>
internal sealed class ChangeNotice(CoapEnvironment environment, ObserverPlaces places, ObserverLayer[] layers) : IChangeNotice
{
    // A program that tells of a wrong path does so again and again.
    private static readonly long s_logEvery = TimeSpan.FromMinutes(1).Ticks;

    private long _nextLog = long.MinValue;

    public void Changed(ObservedRoute route)
    {
        route.CountChange();
        if (places.Count == 0)
        {
            return;
        }

        foreach (ObserverLayer layer in layers)
        {
            layer.Changed(route);
        }
    }

    public int Changed(string path)
    {
        int observers = 0;
        if (places.Count != 0)
        {
            foreach (ObserverLayer layer in layers)
            {
                observers += layer.Changed(path);
            }
        }

        return observers;
    }

    public int CountAt(string path) => places.Count == 0 ? 0 : layers.Sum(layer => layer.CountAt(path));

    public void ReachesNobody(string path, bool isServed)
    {
        long next = Volatile.Read(ref _nextLog);
        long now = environment.Now;
        if (now >= next && Interlocked.CompareExchange(ref _nextLog, now + s_logEvery, next) == next)
        {
            Log.NoticeReachesNobody(environment.Logger, path, isServed ? "the route is not Observable(), so it has no observers" : "no route serves GET or FETCH of this path");
        }
    }

    public void Gone(ObservedRoute route)
    {
        route.CountChange();
        foreach (ObserverLayer layer in layers)
        {
            layer.Gone(route);
        }
    }
}
