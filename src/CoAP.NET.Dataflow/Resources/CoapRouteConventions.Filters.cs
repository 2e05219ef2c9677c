using CoAP.NET.Resources;

namespace CoAP.NET;

// What stands between a request and its handler, and over which transports it may come.
public abstract partial class CoapRouteConventions<TSelf>
{
    /// <summary>
    /// Puts a filter around handlers: code that sees a request before its handler and the answer after it. It hands the request on by calling its second argument, once, or answers itself.
    /// Filters of a group are outside of those of its routes, and what was added first is outside of what was added later; they add up instead of replacing one another. Routes without filters cost nothing.
    /// </summary>
    /// <param name="filter">The filter. What it throws is answered as what a handler throws.</param>
    /// <returns>This object.</returns>
    /// <remarks>
    /// Filters run where the handler runs, and as often: once for a body of many blocks, for each block on a route with <c>HandleBlocks</c>, and also when the server runs the handler for observers
    /// (<see cref="CoapRequest.IsForObservers"/>). What the server refuses by itself never comes to them: unknown paths and methods, transports, formats, sizes, freshness and <see cref="LimitRate"/>.
    /// A result may be kept and given to many requests, so a filter makes a new one rather than change what it got.
    /// </remarks>
    public TSelf AddFilter(Func<CoapRequest, CoapHandler, CancellationToken, ValueTask<CoapResult>> filter)
    {
        ArgumentNullException.ThrowIfNull(filter);
        return Change(settings => settings.Filters.Add(filter));
    }

    /// <summary>
    /// Serves routes over transports of these schemes only. Over others they do not exist: a request is answered 4.04, or 4.05 where the path has another method, and they are not listed. Resources of
    /// two schemes are two resources, whatever their paths (RFC 7252 section 6.2). Naming schemes is enough to serve routes over plain ones too, unless <see cref="RequireTransportSecurity"/> is said as
    /// well: then both must hold.
    /// </summary>
    /// <param name="schemes">The schemes, such as <c>coap+tcp</c>; at least one.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">There is none, or one is no scheme (RFC 3986 section 3.1).</exception>
    public TSelf OnlyOn(params string[] schemes)
    {
        ArgumentNullException.ThrowIfNull(schemes);
        if (schemes.Length == 0)
        {
            throw new ArgumentException("Name at least one scheme, such as coap+tcp.", nameof(schemes));
        }

        foreach (string scheme in schemes)
        {
            if (!Uri.CheckSchemeName(scheme))
            {
                throw new ArgumentException($"'{scheme}' is no scheme. Write it without a colon, such as coaps+tcp.", nameof(schemes));
            }
        }

        string[] own = [.. schemes];
        return Change(settings => settings.Schemes = own);
    }
}
