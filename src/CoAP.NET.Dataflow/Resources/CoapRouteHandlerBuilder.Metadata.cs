namespace CoAP.NET;

// The metadata of the route and its groups, for code that inspects them.
public sealed partial class CoapRouteHandlerBuilder
{
    /// <summary>
    /// The formats of responses from the nearest call of <c>Produces</c>, on the route or on a surrounding group; null without such a call.
    /// </summary>
    public IReadOnlyList<CoapContentFormat>? ProducedFormats
    {
        get
        {
            lock (Table.Gate)
            {
                return _route.Inherit(static settings => settings.Produces);
            }
        }
    }

    /// <summary>
    /// Returns the nearest metadata object of a type: that of the route, or otherwise that of the surrounding groups, from the inside out.
    /// </summary>
    /// <remarks>If there are several, it returns the last one.</remarks>
    /// <typeparam name="T">The type to find.</typeparam>
    /// <returns>The object; null if there is none.</returns>
    public T? FindMetadata<T>()
        where T : class
    {
        lock (Table.Gate)
        {
            return _route.Inherit(settings => settings.Metadata.OfType<T>().LastOrDefault());
        }
    }
}
