using System.Collections.Concurrent;

namespace CoAP.NET.Resources;

/// <summary>
/// <c>/.well-known/core</c>: the links to all visible routes (RFC 6690 section 4). An ordinary mapped resource. The document is kept until
/// a route changes.
/// </summary>
internal sealed class WellKnownCore
{
    public const string Path = "/.well-known/core";

    // Further arguments are ignored: filtering is work, and a server may skip it (RFC 6690 section 4.1).
    private const int MaxQueries = 8;

    private readonly RouteTable _table;

    // One document for each kind of transport that received a request; there are few.
    private readonly ConcurrentDictionary<(string? Scheme, bool IsSecure), Document> _documents = new();

    private WellKnownCore(RouteTable table) => _table = table;

    /// <summary>Maps the resource, unless the user mapped another one there.</summary>
    /// <param name="table">The routes.</param>
    /// <param name="answersGroups">Whether the server has joined groups, so that clients can discover it through them.</param>
    /// <returns>The route, or null.</returns>
    public static CoapRouteHandlerBuilder? TryMap(RouteTable table, bool answersGroups = true)
    {
        try
        {
            return table.Root.MapGet(Path, new WellKnownCore(table).Get).Produces(CoapContentFormat.LinkFormat).ExcludeFromDiscovery()
                .WithBlockingLog(false).AllowMulticast(answersGroups).AllowInsecureTransport();
        }
        catch (InvalidOperationException)
        {
            return null;
        }
    }

    /// <summary>Returns the links for every client, over any transport.</summary>
    public static IEnumerable<CoapLink> LinksOf(RouteTable table) =>
        new WellKnownCore(table).MakeDocument(null).Unconditional;

    private CoapResult Get(CoapRequestContext request)
    {
        // Do not list resources that need security or another transport to clients that cannot use them.
        Document document = GetDocument(request.Channel.Transport);
        string[] queries = [.. request.Queries.Take(MaxQueries)];
        CoapLink[] made = document.MakeLinks(request);
        CoapContent content;
        CoapETag etag;
        if (queries.Length == 0 && made.Length == 0 && document.HasNoConditions)
        {
            if (!request.IsMulticast && !request.IsMatch(document.ETag))
            {
                return document.Full;
            }

            (content, etag) = (document.Content, document.ETag);
        }
        else
        {
            content = CoapLinkFormat.ToContent(CoapLinkFormat.Filter(document.LinksFor(request).Concat(made), queries));
            etag = CoapETag.FromContent(content.Bytes.Span);
        }

        // Group members send no response if nothing matches (RFC 6690 section 4.1); error responses to a group are suppressed.
        return request.IsMulticast && content.Bytes.IsEmpty
            ? CoapResults.NotFound()
            : CoapResults.ValidOr(request, etag, () => CoapResults.Content(content));
    }

    private Document GetDocument(CoapTransport transport)
    {
        (string, bool) key = (transport.Scheme, transport.IsSecure);
        if (!_documents.TryGetValue(key, out Document? document) || document.Version != _table.Version)
        {
            _documents[key] = document = MakeDocument(transport);
        }

        return document;
    }

    private Document MakeDocument(CoapTransport? transport)
    {
        lock (_table.Gate)
        {
            (Route[] routes, int version) = _table.Snapshot();
            List<Entry> entries = [];
            List<Source> sources = [];
            IEnumerable<Route> listed = routes.Where(route => route.Inherit(settings => settings.Hidden) != true
                && (transport is null || route.IsServedOver(transport.Scheme, transport.IsSecure)));
            foreach (IGrouping<string, Route> path in listed.GroupBy(route => route.Template.Text))
            {
                Route[] visible = [.. path];
                Func<CoapRequestContext, bool>[] conditions = [
                    .. visible.Select(route => route.Inherit(settings => settings.ListedWhen)).OfType<Func<CoapRequestContext, bool>>()];
                Func<CoapRequestContext, bool>[]? any = conditions.Length < visible.Length ? null : conditions;
                string? target = Array.Find(visible, route => route.ListedAs is not null)?.ListedAs
                    ?? (visible[0].Template.HasParameters ? null : visible[0].Template.Text);
                if (target is not null)
                {
                    entries.Add(new Entry(new CoapLink(target, GetAttributes(visible)), any));
                }

                entries.AddRange(visible.SelectMany(route => route.Links).Select(link => new Entry(link, any)));
                sources.AddRange(visible.Where(static route => route.LinkSource is not null)
                    .Select(route => new Source(route.LinkSource!, any)));
            }

            return new Document(version, [.. entries], [.. sources]);
        }
    }

    private static List<CoapLinkAttribute> GetAttributes(Route[] routes)
    {
        List<CoapLinkAttribute> attributes = [];
        foreach (Route route in routes)
        {
            // If several routes have an attribute, the first one counts; one route may repeat it.
            attributes.AddRange(route.Attributes.Where(one => !attributes.Exists(other => other.IsNamed(one.Name))).ToArray());
        }

        if (!attributes.Exists(attribute => attribute.IsNamed("obs")) && Array.Exists(routes, static route => route.IsObservable))
        {
            attributes.Add(new CoapLinkAttribute("obs"));
        }

        CoapContentFormat[]? formats = attributes.Exists(attribute => attribute.IsNamed("ct")) ? null
            : Array.Find(routes, route => route.Methods.Contains(CoapMethod.Get))?.Produces;
        if (formats is not null)
        {
            attributes.Add(new CoapLinkAttribute("ct", CoapLinkAttribute.Join(formats)));
        }

        return attributes;
    }

    /// <summary>A link and the conditions of listing it: one of them must hold; without conditions it is always listed.</summary>
    private sealed record Entry(CoapLink Link, Func<CoapRequestContext, bool>[]? Conditions);

    /// <summary>A function that creates links for a request, and its conditions.</summary>
    private sealed record Source(Func<CoapRequestContext, IEnumerable<CoapLink>> Links, Func<CoapRequestContext, bool>[]? Conditions);

    private sealed class Document
    {
        private readonly Entry[] _entries;
        private readonly Source[] _sources;

        public Document(int version, Entry[] entries, Source[] sources)
        {
            Version = version;
            _entries = entries;
            _sources = sources;
            HasNoConditions = Array.TrueForAll(entries, entry => entry.Conditions is null);
            Content = CoapLinkFormat.ToContent(entries.Select(entry => entry.Link));
            ETag = CoapETag.FromContent(Content.Bytes.Span);
            Full = CoapResults.Content(Content).WithETag(ETag);
        }

        public int Version { get; }

        public bool HasNoConditions { get; }

        public CoapContent Content { get; }

        public CoapETag ETag { get; }

        public CoapResult Full { get; }

        public IEnumerable<CoapLink> Unconditional =>
            _entries.Where(static entry => entry.Conditions is null).Select(static entry => entry.Link);

        public IEnumerable<CoapLink> LinksFor(CoapRequestContext request) =>
            _entries.Where(entry => Holds(entry.Conditions, request)).Select(entry => entry.Link);

        public CoapLink[] MakeLinks(CoapRequestContext request) => _sources.Length == 0 ? []
            : [.. _sources.Where(source => Holds(source.Conditions, request)).SelectMany(source => source.Links(request))];

        private static bool Holds(Func<CoapRequestContext, bool>[]? conditions, CoapRequestContext request) =>
            conditions is null || Array.Exists(conditions, condition => condition(request));
    }
}
