using CoAP.NET.Options;

namespace CoAP.NET.Resources;

/// <summary>
/// A place in the tree of routes. Immutable: a change copies the nodes from the root to the place, so lookups take no lock. Literals are
/// compared as the bytes of the options, in an array sorted by length and bytes.
/// </summary>
internal sealed class RouteNode
{
    private readonly byte[][] _names;
    private readonly RouteNode[] _literals;
    private readonly RouteNode? _parameter;
    private readonly RouteNode? _rest;
    private readonly Route?[] _routes;

    private RouteNode(byte[][] names, RouteNode[] literals, RouteNode? parameter, RouteNode? rest, Route?[] routes)
    {
        _names = names;
        _literals = literals;
        _parameter = parameter;
        _rest = rest;
        _routes = routes;
    }

    public static RouteNode Empty { get; } = new([], [], null, null, []);

    /// <summary>The route of a method at this place; null if the method is not allowed.</summary>
    public Route? this[CoapCode method] => method.Value < _routes.Length ? _routes[method.Value] : null;

    /// <summary>The routes at this place, by method code.</summary>
    public ReadOnlySpan<Route?> Routes => _routes;

    private bool IsEmpty => _routes.Length == 0 && _literals.Length == 0 && _parameter is null && _rest is null;

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
        int literal = _names.Length == 0 ? -1 : IndexOf(segment);
        if (literal >= 0 && _literals[literal].Find(options, at + 1, end) is { } found)
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
            return new RouteNode(_names, _literals, _parameter, _rest, Join(route));
        }

        RouteSegment segment = segments[depth];
        switch (segment.Kind)
        {
            case RouteSegmentKind.Parameter:
                return new RouteNode(_names, _literals, (_parameter ?? Empty).With(route, depth + 1), _rest, _routes);
            case RouteSegmentKind.Rest:
                return new RouteNode(_names, _literals, _parameter, (_rest ?? Empty).With(route, depth + 1), _routes);
        }

        int index = IndexOf(segment.Utf8);
        if (index >= 0)
        {
            RouteNode[] literals = [.. _literals];
            literals[index] = literals[index].With(route, depth + 1);
            return new RouteNode(_names, literals, _parameter, _rest, _routes);
        }

        index = ~index;
        RouteNode child = Empty.With(route, depth + 1);
        return new RouteNode(
            [.. _names.AsSpan(0, index), segment.Utf8, .. _names.AsSpan(index)],
            [.. _literals.AsSpan(0, index), child, .. _literals.AsSpan(index)],
            _parameter,
            _rest,
            _routes);
    }

    /// <summary>Returns the tree without one of its routes; null if it is empty then.</summary>
    public RouteNode? Without(Route route, int depth = 0)
    {
        RouteSegment[] segments = route.Template.Segments;
        RouteNode node;
        if (depth == segments.Length)
        {
            Route?[] routes = Array.ConvertAll(_routes, other => other == route ? null : other);
            node = new RouteNode(_names, _literals, _parameter, _rest, Array.TrueForAll(routes, other => other is null) ? [] : routes);
        }
        else if (segments[depth].Kind == RouteSegmentKind.Parameter)
        {
            node = new RouteNode(_names, _literals, _parameter!.Without(route, depth + 1), _rest, _routes);
        }
        else if (segments[depth].Kind == RouteSegmentKind.Rest)
        {
            node = new RouteNode(_names, _literals, _parameter, _rest!.Without(route, depth + 1), _routes);
        }
        else
        {
            int index = IndexOf(segments[depth].Utf8);
            RouteNode? child = _literals[index].Without(route, depth + 1);
            node = child is not null
                ? new RouteNode(_names, [.. _literals.AsSpan(0, index), child, .. _literals.AsSpan(index + 1)], _parameter, _rest, _routes)
                : new RouteNode(
                    [.. _names.AsSpan(0, index), .. _names.AsSpan(index + 1)],
                    [.. _literals.AsSpan(0, index), .. _literals.AsSpan(index + 1)],
                    _parameter,
                    _rest,
                    _routes);
        }

        return node.IsEmpty ? null : node;
    }

    private static int Compare(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) =>
        left.Length != right.Length ? left.Length - right.Length : left.SequenceCompareTo(right);

    private int IndexOf(ReadOnlySpan<byte> segment)
    {
        int low = 0;
        int high = _names.Length - 1;
        while (low <= high)
        {
            int middle = (low + high) >>> 1;
            int order = Compare(segment, _names[middle]);
            if (order == 0)
            {
                return middle;
            }

            if (order < 0)
            {
                high = middle - 1;
            }
            else
            {
                low = middle + 1;
            }
        }

        return ~low;
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
