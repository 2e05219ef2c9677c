using CoAP.NET.Resources;

namespace CoAP.NET;

// What was attached to routes, for code that looks at them.
public sealed partial class CoapRouteGroup
{
    /// <summary>
    /// What was attached to the routes of this group and of groups inside of it, as they are now, in the order of mapping. What groups have
    /// themselves is not among it.
    /// </summary>
    /// <typeparam name="T">The type that is looked for.</typeparam>
    /// <returns>The objects of the type; empty when there are none.</returns>
    public IReadOnlyList<T> ListMetadata<T>()
        where T : class
    {
        Route[] routes = Table.Snapshot().Routes;
        lock (Table.Gate)
        {
            return [.. routes.Where(IsInside).SelectMany(route => route.Settings.Metadata.OfType<T>())];
        }
    }

    private bool IsInside(Route route)
    {
        CoapRouteGroup? group = route.Group;
        while (group is not null && group != this)
        {
            group = group.Parent;
        }

        return group is not null;
    }
}
