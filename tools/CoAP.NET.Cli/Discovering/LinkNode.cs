namespace CoAP.NET.Cli.Discovering;

/// <summary>A path segment, with the links that end there and the segments below.</summary>
internal sealed class LinkNode(string name)
{
    // A deeper path can only be an attempt to overflow the stack.
    private const int Deepest = 32;

    public string Name { get; } = name;

    public List<CoapLink> Links { get; } = [];

    public SortedDictionary<string, LinkNode> Children { get; } = new(StringComparer.Ordinal);

    /// <summary>Sorts links into trees: one for the queried server, and one for each other server in the links.</summary>
    /// <param name="links">The links.</param>
    /// <param name="baseUri">The base of relative links.</param>
    public static IReadOnlyList<LinkNode> TreesOf(IReadOnlyList<CoapLink> links, string baseUri)
    {
        LinkNode own = new(CoapUri.OriginOf(baseUri));
        SortedDictionary<string, LinkNode> others = new(StringComparer.Ordinal);
        foreach (CoapLink link in links)
        {
            string uri = link.ResolveTarget(baseUri);
            string origin = CoapUri.OriginOf(uri);
            LinkNode root = own;
            if (origin != own.Name && !others.TryGetValue(origin, out root!))
            {
                others.Add(origin, root = new LinkNode(origin));
            }

            root.Place(uri[origin.Length..]).Links.Add(link);
        }

        return own.Links.Count + own.Children.Count == 0 && others.Count > 0 ? [.. others.Values] : [own, .. others.Values];
    }

    private LinkNode Place(string path)
    {
        // A trailing slash stays with its segment, which then looks like a folder.
        int query = path.IndexOf('?', StringComparison.Ordinal);
        string hierarchy = query < 0 ? path : path[..query];
        string[] segments = hierarchy.Split('/', Deepest + 1, StringSplitOptions.RemoveEmptyEntries);
        LinkNode node = this;
        for (int i = 0; i < segments.Length; i++)
        {
            bool isLast = i + 1 == segments.Length;
            node = node.Child(segments[i] + (isLast && query >= 0 ? path[query..] : ""));
        }

        return node;
    }

    private LinkNode Child(string segment)
    {
        if (!Children.TryGetValue(segment, out LinkNode? child))
        {
            Children.Add(segment, child = new LinkNode(segment));
        }

        return child;
    }
}
