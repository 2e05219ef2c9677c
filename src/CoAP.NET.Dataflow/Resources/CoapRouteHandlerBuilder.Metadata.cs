namespace CoAP.NET;

// What was attached to the route and its groups, for code that looks at them.
public sealed partial class CoapRouteHandlerBuilder
{
    /// <summary>
    /// The nearest object of a type that was attached by <c>WithMetadata</c>: to the route, or otherwise to the groups around it, from the
    /// inside out. Of several the last one.
    /// </summary>
    /// <typeparam name="T">The type that is looked for.</typeparam>
    /// <returns>The object; null when there is none.</returns>
    public T? FindMetadata<T>()
        where T : class
    {
        lock (Table.Gate)
        {
            return _route.Inherit(settings => settings.Metadata.OfType<T>().LastOrDefault());
        }
    }
}
