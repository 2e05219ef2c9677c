using CoAP.NET.Resources;

namespace CoAP.NET;

// The metadata of routes, for code that inspects them.
public sealed partial class CoapRouteGroup
{
    /// <summary>Returns the current metadata of the routes in this group and its inner groups, in the order of mapping.</summary>
    /// <remarks>The metadata of the groups themselves is not included.</remarks>
    /// <typeparam name="T">The type to find.</typeparam>
    /// <returns>The objects of the type; empty if there are none.</returns>
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
