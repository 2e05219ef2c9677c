namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>
/// Finds the endpoints whose shapes overlap a shape, without a look at all others: an application with very many endpoints starts in time
/// for each of them, and not for each pair.
/// </summary>
internal sealed class EndpointRouteOverlapIndex
{
    private readonly Node _root = new();

    public void Add(EndpointRouteTemplate shape, int endpoint) => _root.Add(shape.Segments, endpoint);

    /// <summary>Returns the numbers of the endpoints with a shape that has a path in common with this one, in ascending order.</summary>
    public IReadOnlyCollection<int> Overlapping(EndpointRouteTemplate shape)
    {
        SortedSet<int> found = [];
        _root.Find(shape.Segments, found);
        return found;
    }

    /// <summary>The shapes with the same first segments.</summary>
    private sealed class Node
    {
        private readonly List<int> _ending = [];
        private readonly List<int> _rest = [];
        private readonly Dictionary<string, Node> _literals = new(StringComparer.Ordinal);
        private Node? _any;

        public void Add(ReadOnlySpan<EndpointRouteTemplate.Segment> segments, int endpoint)
        {
            if (segments.IsEmpty)
            {
                _ending.Add(endpoint);
                return;
            }

            EndpointRouteTemplate.Segment segment = segments[0];
            switch (segment.Kind)
            {
                case EndpointRouteTemplate.Kind.Rest:
                    // It takes everything from here on.
                    _rest.Add(endpoint);
                    break;
                case EndpointRouteTemplate.Kind.Any:
                    (_any ??= new Node()).Add(segments[1..], endpoint);
                    break;
                default:
                    if (!_literals.TryGetValue(segment.Template, out Node? place))
                    {
                        _literals.Add(segment.Template, place = new Node());
                    }

                    place.Add(segments[1..], endpoint);
                    break;
            }
        }

        public void Find(ReadOnlySpan<EndpointRouteTemplate.Segment> segments, SortedSet<int> found)
        {
            found.UnionWith(_rest);
            if (segments.IsEmpty)
            {
                found.UnionWith(_ending);
                return;
            }

            EndpointRouteTemplate.Segment segment = segments[0];
            if (segment.Kind == EndpointRouteTemplate.Kind.Literal)
            {
                _literals.GetValueOrDefault(segment.Template)?.Find(segments[1..], found);
                _any?.Find(segments[1..], found);
                return;
            }

            bool isRest = segment.Kind == EndpointRouteTemplate.Kind.Rest;
            if (isRest)
            {
                found.UnionWith(_ending);
            }

            foreach (Node place in _any is null ? _literals.Values : _literals.Values.Append(_any))
            {
                place.Find(isRest ? segments[..1] : segments[1..], found);
            }
        }
    }
}
