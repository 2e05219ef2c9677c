using CoAP.NET.Resources;

namespace CoAP.NET;

// What stands between a request and its handler, and over which transports it may come.
public abstract partial class CoapRouteConventions<TSelf>
{
    /// <summary>
    /// Puts a filter around handlers: code that sees a request before its handler and the answer after it. It hands the request on by
    /// calling its second argument, once, or answers itself. Filters of a group are outside of those of its routes, and what was added
    /// first is outside of what was added later; they add up instead of replacing one another. Routes without filters cost nothing.
    /// </summary>
    /// <param name="filter">The filter. What it throws is answered as what a handler throws.</param>
    /// <returns>This object.</returns>
    /// <remarks>
    /// Filters run where the handler runs, and as often: once for a body of many blocks, for each block on a route with
    /// <c>HandleBlocks</c>, and also when the server runs the handler for observers (<see cref="CoapRequest.IsForObservers"/>). What the
    /// server refuses by itself never comes to them: unknown paths and methods, transports, formats, sizes, freshness and
    /// <see cref="LimitRate"/>. What the options of a request make of its answer comes after them: 4.06 for another format than Accept asks
    /// for, 2.03 for a known entity-tag. A result may be kept and given to many requests, so a filter makes a new one rather than change
    /// what it got.
    /// </remarks>
    public TSelf AddFilter(Func<CoapRequest, CoapHandler, CancellationToken, ValueTask<CoapResult>> filter)
    {
        ArgumentNullException.ThrowIfNull(filter);
        return Change(settings =>
            settings.Filters.Add((_, next) => (request, cancellationToken) => filter(request, next, cancellationToken)));
    }

    /// <summary>
    /// Puts a filter around handlers that looks at each route before it serves requests. What the function gives stands in the place of the
    /// rest of the way; where it gives its second argument back, the filter costs that route nothing. Otherwise as <see cref="AddFilter"/>.
    /// </summary>
    /// <param name="factory">
    /// Makes what a route runs of what is known of the route and of the rest of the way to its handler. Called before the first request to
    /// a route and again after a change of any route or group; what it throws is answered, as what a handler throws, to every request of
    /// that route.
    /// </param>
    /// <returns>This object.</returns>
    public TSelf AddFilterFactory(Func<CoapRouteInfo, CoapHandler, CoapHandler> factory)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return Change(settings => settings.Filters.Add(factory));
    }

    /// <summary>
    /// Puts a filter around handlers that is asked twice about a request whose body comes in several blocks: about the first block, before
    /// anything of the body is kept, and about the whole. For filters that say who may do what, so that strangers do not fill the memory
    /// for bodies (<see cref="CoapLimits.MaxAssemblyBytes"/>). Otherwise as
    /// <see cref="AddFilterFactory(Func{CoapRouteInfo, CoapHandler, CoapHandler})"/>.
    /// </summary>
    /// <param name="factory">See <see cref="AddFilterFactory(Func{CoapRouteInfo, CoapHandler, CoapHandler})"/>. Called twice for a route:
    /// for its handler, and for what stands in its place when a first block is asked about.</param>
    /// <param name="beforeBody">Whether it is asked about first blocks as well. It must not need the payload then: where
    /// <see cref="CoapRequest.IsBodyPending"/> is true, only a block of it is there.</param>
    /// <returns>This object.</returns>
    public TSelf AddFilterFactory(Func<CoapRouteInfo, CoapHandler, CoapHandler> factory, bool beforeBody)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return Change(settings =>
        {
            settings.Filters.Add(factory);
            if (beforeBody)
            {
                settings.EarlyFilters.Add(factory);
            }
        });
    }

    /// <summary>
    /// Gives error answers a payload that describes the error, such as concise problem details (RFC 9290); also to those that the server
    /// makes before any handler. Of unknown paths the group of all routes decides. Answers that say no more than that the server is busy,
    /// or ask for an Echo, are left alone.
    /// </summary>
    /// <param name="describe">
    /// Is given the request, the answer, and what a handler threw if that is the reason; gives bytes and their Content-Format, or null to
    /// leave the answer as it is. Without a Content-Format they are a text for people (RFC 7252 section 5.5.2). The options of the answer
    /// stay. Called where the answer is made; must be quick. What it throws is counted, and the answer goes out as it is.
    /// </param>
    /// <returns>This object.</returns>
    public TSelf DescribeErrors(Func<CoapRequest, CoapResult, Exception?, CoapContent?> describe)
    {
        ArgumentNullException.ThrowIfNull(describe);
        Table.DescribesErrors = true;
        return Change(settings => settings.Describe = describe);
    }

    /// <summary>
    /// Serves routes over transports of these schemes only. Over others they do not exist: a request is answered 4.04, or 4.05 where the
    /// path has another method, and they are not listed. Resources of two schemes are two resources, whatever their paths (RFC 7252 section
    /// 6.2). Naming schemes is enough to serve routes over plain ones too, unless <see cref="RequireTransportSecurity"/> is said as well:
    /// then both must hold.
    /// </summary>
    /// <param name="schemes">The schemes, such as <c>coap+tcp</c>; at least one.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">There is none, or one is no scheme (RFC 3986 section 3.1), or one does not begin with
    /// <c>coap</c>, as all schemes of CoAP do (RFC 7252 section 6, RFC 8323 section 8).</exception>
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

            if (!scheme.StartsWith("coap", StringComparison.OrdinalIgnoreCase))
            {
                throw new ArgumentException(
                    $"'{scheme}' is no scheme of CoAP, so the route would be served nowhere. Those are coap, coaps, coap+tcp, coaps+tcp, "
                        + "coap+ws and coaps+ws, and coap+ with a name of its own for a transport of yours.",
                    nameof(schemes));
            }
        }

        string[] own = [.. schemes];
        return Change(settings => settings.Schemes = own);
    }
}
