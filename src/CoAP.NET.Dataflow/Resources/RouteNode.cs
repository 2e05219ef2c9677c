namespace CoAP.NET.Resources;

/// <summary>
/// A place in the tree of routes. Immutable: a change copies the nodes from the root to the place, so lookups take no lock. Literals are
/// compared as the bytes of the options.
/// </summary>
internal sealed class RouteNode
{
    private readonly LiteralSegmentMap _literals;
    private readonly RouteNode? _parameter;
    private readonly RouteNode? _rest;
    private readonly Route?[] _routes;

    private RouteNode(LiteralSegmentMap literals, RouteNode? parameter, RouteNode? rest, Route?[] routes)
    {
        _literals = literals;
        _parameter = parameter;
        _rest = rest;
        _routes = routes;
    }

    public static RouteNode Empty { get; } = new(LiteralSegmentMap.Empty, null, null, []);

    /// <summary>The route of a method at this place; null if the method is not allowed.</summary>
    public Route? this[CoapCode method] => method.Value < _routes.Length ? _routes[method.Value] : null;

    /// <summary>The routes at this place, by method code.</summary>
    public ReadOnlySpan<Route?> Routes => _routes;

    private bool IsEmpty => _routes.Length == 0 && _literals.IsEmpty && _parameter is null && _rest is null;

    /// <summary>
    /// Returns whether any method at this place is served over the transport of a request. Otherwise the path does not exist there.
    /// </summary>
    public bool Serves(CoapRequestContext request, CoapEnvironment environment)
    {
        foreach (Route? route in _routes)
        {
            if (route?.GetPlan(environment).Serves(request) == true)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Finds the place of a path: at each segment a literal has priority over a parameter, and a parameter over a catch-all, with
    /// backtracking. The number of nodes limits the work, because each can be reached in only one way.
    /// </summary>
    /// <param name="options">The options.</param>
    /// <param name="at">The index of the first remaining segment.</param>
    /// <param name="end">The index after the last one.</param>
    /// <returns>A place with routes, or null.</returns>
    public RouteNode? Find(CoapOptionCollection options, int at, int end)
    {
        if (at == end)
        {
            return _routes.Length != 0 ? this : _rest;
        }

        ReadOnlySpan<byte> segment = options.ValueAt(at);
        if (_literals.Find(segment)?.Find(options, at + 1, end) is { } found)
        {
            return found;
        }

        return _parameter is not null && RouteTable.IsParameterValue(segment) && _parameter.Find(options, at + 1, end) is { } place
            ? place
            : _rest is not null && RouteTable.AreParameterValues(options, at, end) ? _rest : null;
    }

    /// <summary>Returns the tree with another route.</summary>
    /// <exception cref="InvalidOperationException">A method of the route is already mapped there.</exception>
    public RouteNode With(Route route, int depth = 0)
    {
        RouteSegment[] segments = route.Template.Segments;
        if (depth == segments.Length)
        {
            return new RouteNode(_literals, _parameter, _rest, Join(route));
        }

        RouteSegment segment = segments[depth];
        switch (segment.Kind)
        {
            case RouteSegmentKind.Parameter:
                return new RouteNode(_literals, (_parameter ?? Empty).With(route, depth + 1), _rest, _routes);
            case RouteSegmentKind.Rest:
                return new RouteNode(_literals, _parameter, (_rest ?? Empty).With(route, depth + 1), _routes);
        }

        RouteNode child = (_literals.Find(segment.Utf8) ?? Empty).With(route, depth + 1);
        return new RouteNode(_literals.With(segment.Utf8, child), _parameter, _rest, _routes);
    }

    /// <summary>Returns the tree without one of its routes; null if it is empty then.</summary>
    public RouteNode? Without(Route route, int depth = 0)
    {
        RouteSegment[] segments = route.Template.Segments;
        RouteNode node;
        if (depth == segments.Length)
        {
            Route?[] routes = Array.ConvertAll(_routes, other => other == route ? null : other);
            node = new RouteNode(_literals, _parameter, _rest, Array.TrueForAll(routes, other => other is null) ? [] : routes);
        }
        else if (segments[depth].Kind == RouteSegmentKind.Parameter)
        {
            node = new RouteNode(_literals, _parameter!.Without(route, depth + 1), _rest, _routes);
        }
        else if (segments[depth].Kind == RouteSegmentKind.Rest)
        {
            node = new RouteNode(_literals, _parameter, _rest!.Without(route, depth + 1), _routes);
        }
        else
        {
            byte[] name = segments[depth].Utf8;
            RouteNode? child = _literals.Find(name)!.Without(route, depth + 1);
            node = new RouteNode(child is null ? _literals.Without(name) : _literals.With(name, child), _parameter, _rest, _routes);
        }

        return node.IsEmpty ? null : node;
    }

    private Route?[] Join(Route route)
    {
        Route?[] routes = new Route?[Math.Max(_routes.Length, route.Methods.Max(method => (int)method) + 1)];
        _routes.CopyTo(routes, 0);
        foreach (CoapMethod method in route.Methods)
        {
            if (routes[(int)method] is { } other)
            {
                throw new InvalidOperationException(
                    $"{(CoapCode)method} {route.Template} cannot be mapped: {other.Template} already has a handler for it. Unmap that one "
                        + "first, choose another path, or map both methods to one handler.");
            }

            routes[(int)method] = route;
        }

        return routes;
    }
}
