namespace CoAP.NET.Observing;

/// <summary>Brings what changed to all shards of an endpoint. Without observers it costs a read.</summary>
internal sealed class ChangeNotice(ObserverCount count, ObserverLayer[] layers) : IChangeNotice
{
    public void Changed(ObservedRoute route)
    {
        route.CountChange();
        if (count.Value == 0)
        {
            return;
        }

        foreach (ObserverLayer layer in layers)
        {
            layer.Changed(route);
        }
    }

    public void Changed(string path)
    {
        if (count.Value == 0)
        {
            return;
        }

        foreach (ObserverLayer layer in layers)
        {
            layer.Changed(path);
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
