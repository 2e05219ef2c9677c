using CoAP.NET.Resources;

namespace CoAP.NET;

// Filters between a request and its handler, and the transports of routes.
public abstract partial class CoapRouteConventions<TSelf>
{
    /// <summary>Adds a filter around handlers: code that sees a request before its handler and the response after it.</summary>
    /// <remarks>
    /// It passes the request on by calling its second argument, once, or returns a response itself. Filters of a group surround those of
    /// its routes, and earlier filters surround later ones; they add up and do not replace each other. Routes without filters have no
    /// overhead. Filters run where the handler runs, and as often: once for a body of many blocks, for each block on a route with
    /// <c>HandleBlocks</c>, and also when the server runs the handler for observers (<see cref="CoapRequest.IsForObservers"/>). They do not
    /// see requests that the server refuses itself because of unknown paths and methods, transports, formats, sizes, freshness and
    /// <see cref="LimitRate"/>. They run before the server applies request options to the response: 4.06 for a format other than Accept
    /// asks for, 2.03 for a known entity-tag. Many requests may share a result, so a filter creates a new one and does not change the one
    /// that it got.
    /// </remarks>
    /// <param name="filter">The filter. The server treats its exceptions like those of a handler.</param>
    /// <returns>This object.</returns>
    public TSelf AddFilter(Func<CoapRequest, CoapHandler, CancellationToken, ValueTask<CoapResult>> filter)
    {
        ArgumentNullException.ThrowIfNull(filter);
        return Change(settings =>
            settings.Filters.Add((_, next) => (request, cancellationToken) => filter(request, next, cancellationToken)));
    }

    /// <summary>Adds a filter that inspects each route before the route serves requests.</summary>
    /// <remarks>
    /// The returned function replaces the rest of the pipeline. If the factory returns its second argument, the filter has no overhead for
    /// that route. Otherwise like <see cref="AddFilter"/>.
    /// </remarks>
    /// <param name="factory">
    /// Creates the function for a route from a description of the route and the rest of the pipeline to its handler. Called before the
    /// first request to a route, and again after a change of any route or group. Its exceptions become the response to every request of
    /// that route, like those of a handler.
    /// </param>
    /// <returns>This object.</returns>
    public TSelf AddFilterFactory(Func<CoapRouteInfo, CoapHandler, CoapHandler> factory)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return Change(settings => settings.Filters.Add(factory));
    }

    /// <summary>
    /// Adds a filter that runs twice for a request with a block-wise body: at the first block, before the server stores anything of the
    /// body, and for the whole request.
    /// </summary>
    /// <remarks>
    /// For authorization filters, so that strangers cannot fill the memory for bodies (<see cref="CoapLimits.MaxAssemblyBytes"/>).
    /// Otherwise like <see cref="AddFilterFactory(Func{CoapRouteInfo, CoapHandler, CoapHandler})"/>.
    /// </remarks>
    /// <param name="factory">See <see cref="AddFilterFactory(Func{CoapRouteInfo, CoapHandler, CoapHandler})"/>. Called twice for a route:
    /// for its handler, and for the replacement of the handler at first blocks.</param>
    /// <param name="beforeBody">Whether the filter runs at first blocks too. It must not need the payload then: if
    /// <see cref="CoapRequest.IsBodyPending"/> is true, the payload is only one block.</param>
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
    /// Adds a payload that describes the error to error responses, such as concise problem details (RFC 9290), including those that the
    /// server creates before any handler.
    /// </summary>
    /// <remarks>
    /// For unknown paths, the settings of the root group apply. Responses that only say that the server is busy, or ask for an Echo, stay
    /// unchanged.
    /// </remarks>
    /// <param name="describe">
    /// Receives the request, the response, and the exception of the handler if there is one; returns bytes and their Content-Format, or
    /// null to leave the response unchanged. Without a Content-Format the bytes are a human-readable text (RFC 7252 section 5.5.2). The
    /// options of the response stay. It runs where the response is created, so it must be quick. If it throws, the exception is counted,
    /// and the response stays unchanged.
    /// </param>
    /// <returns>This object.</returns>
    public TSelf DescribeErrors(Func<CoapRequest, CoapResult, Exception?, CoapContent?> describe)
    {
        ArgumentNullException.ThrowIfNull(describe);
        Table.DescribesErrors = true;
        return Change(settings => settings.Describe = describe);
    }

    /// <summary>Serves routes only over transports of these schemes.</summary>
    /// <remarks>
    /// Over others they do not exist: a request is answered 4.04, or 4.05 if the path has another method, and they are not listed.
    /// Resources of two schemes are different resources, whatever their paths (RFC 7252 section 6.2). With schemes set, the routes may use
    /// plain transports too, unless <see cref="RequireTransportSecurity"/> is also set: then both conditions apply.
    /// </remarks>
    /// <param name="schemes">The schemes, such as <c>coap+tcp</c>; at least one.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">There is no scheme, or one is invalid (RFC 3986 section 3.1), or one does not begin with
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
                throw new ArgumentException($"'{scheme}' is not a valid scheme. Write it without a colon, such as coaps+tcp.", nameof(schemes));
            }

            if (!scheme.StartsWith("coap", StringComparison.OrdinalIgnoreCase))
            {
                throw new ArgumentException(
                    $"'{scheme}' is not a CoAP scheme, so no transport would serve the route. Use coap, coaps, coap+tcp, coaps+tcp, "
                        + "coap+ws or coaps+ws, or coap+ with another name for a custom transport.",
                    nameof(schemes));
            }
        }

        string[] own = [.. schemes];
        return Change(settings => settings.Schemes = own);
    }
}
