using System.Globalization;
using CoAP.NET.PubSub.Telemetry;
using CoAP.NET.PubSub.Topics;

namespace CoAP.NET.PubSub.Serving;

/// <summary>A collection of topics at a path of a server: its routes, its lists, and notifications of changes.</summary>
internal sealed class TopicCollection(BrokerContext parts)
{
    private readonly TopicAuthorizer _clients = new(parts);
    private CoapRouteHandlerBuilder? _topics;
    private CoapRouteHandlerBuilder? _data;

    // The list for all clients, if no callback decides per client. Rebuilt only after a change of the topics because strangers may ask
    // often.
    private CachedList? _topicList;
    private CachedList? _dataList;
    private CachedLinks? _discovered;

    // All topics in order; also rebuilt only after a change.
    private CachedTopics? _all;

    /// <summary>The path in URI form, once the collection is mapped.</summary>
    public string Path { get; private set; } = "";

    /// <summary>The number of subscribers of its topics on this node.</summary>
    public int Subscribers => _data?.ObserverCount ?? 0;

    /// <summary>Maps its routes.</summary>
    /// <returns>The route of its list.</returns>
    public CoapRouteHandlerBuilder Map(ICoapRouteBuilder routes, string path)
    {
        // The user cannot change the handlers.
        routes = routes.MapGroup("/").WithBlockingLog(false);
        CoapRouteHandlerBuilder list = routes.MapGet(path, List).Produces(CoapContentFormat.LinkFormat)
            .WithResourceType(PubSubDraft.BrokerType, PubSubDraft.CollectionType)
            .WithContentFormat(CoapContentFormat.LinkFormat, PubSubDraft.Format).WithLinks(Discover);
        Path = list.Template.Contains('{', StringComparison.Ordinal)
            ? throw new ArgumentException($"The collection would be at {list.Template}, whose path has parameters.", nameof(path))
            : list.Template;
        TopicEviction room = new(parts);
        TopicHandlers topics = new(parts, _clients, this, room);
        TopicDataHandlers data = new(parts, _clients, this, room);
        routes.MapFetch(path, Filter);
        routes.MapPost(path, topics.CreateAsync);

        // Without a callback every client may read every topic.
        bool isSameForAll = parts.Options.Authorize is null;
        string topic = $"{path}/{{id}}";
        _topics = routes.MapGet(topic, topics.Read).Observable(observe => observe.SameForAll = isSameForAll).ExcludeFromDiscovery();
        routes.MapFetch(topic, topics.ReadSome).ExcludeFromDiscovery();
        routes.MapPost(topic, topics.ReplaceAsync).ExcludeFromDiscovery();
        routes.MapIPatch(topic, topics.ChangeAsync).ExcludeFromDiscovery();
        routes.MapDelete(topic, topics.DeleteAsync).ExcludeFromDiscovery();

        string latest = $"{path}/data/{{id}}";
        _data = routes.MapGet(latest, data.Read)
            .Observable(observe =>
            {
                observe.MaxAge = parts.Options.DataMaxAge;
                observe.SameForAll = isSameForAll;
            })
            .WithObserverLimits(request => Find(request)?.ObserverLimits).ExcludeFromDiscovery();
        routes.MapPut(latest, data.PublishAsync)
            .WithMaxBodySize(parts.Options.Limits.MaxDataLength).ExcludeFromDiscovery();
        routes.MapDelete(latest, data.DeleteAsync).ExcludeFromDiscovery();
        return list;
    }

    /// <summary>The topic that a request addresses; null if there is none.</summary>
    public Topic? Find(CoapRequestContext request) => parts.Index.Find(Path, request.Route["id"]);

    /// <summary>Reacts to a change of a topic. The caller holds no lock.</summary>
    public void OnChanged(Topic topic, TopicChange change)
    {
        if (topic.State.Collection != Path)
        {
            return;
        }

        switch (change)
        {
            case TopicChange.Data:
                _data!.NotifyHere(topic.DataPath);
                break;
            case TopicChange.Properties:
                topic.ApplyTerms(parts.Options.Limits.MaxSubscribers);
                _topics!.NotifyHere(topic.Path);
                break;
            default:
                // The handlers answer 4.04, which ends the observations.
                _data!.NotifyHere(topic.DataPath);
                _topics!.NotifyHere(topic.Path);
                break;
        }
    }

    /// <summary>Counts and answers a request with invalid content.</summary>
    public CoapResult Invalid(CoapCode code, string reason)
    {
        parts.Counts.Add(PubSubCounterKind.Invalid);
        return CoapResults.Status(code, reason);
    }

    /// <summary>Reads a map of properties from a request, or returns the refusal.</summary>
    public bool TryReadProperties(CoapRequestContext request, out CoapTopicProperties properties,
        [NotNullWhen(false)] out CoapResult? refusal)
    {
        refusal = null;
        properties = new CoapTopicProperties();
        if (request.ContentFormat != PubSubDraft.Format)
        {
            refusal = Invalid(CoapCode.UnsupportedContentFormat,
                $"Send topic properties in Content-Format {PubSubDraft.Format.Value} (application/core-pubsub+cbor).");
        }
        else if (!TopicPropertiesSerializer.TryRead(request.Payload, isStrict: true, out properties, out string? error))
        {
            refusal = Invalid(CoapCode.BadRequest, error);
        }

        return refusal is null;
    }

    private CoapResult List(CoapRequestContext request)
    {
        // Either the list of topics or that of their data; other queries filter it (RFC 6690 section 4.1).
        bool ofData = request.TryGetQuery("rt", out string? type) && type == PubSubDraft.DataType;
        if (parts.Options.Authorize is not null || request.Queries.Count() > (ofData ? 1 : 0))
        {
            return Links(request, Visible(request), ofData);
        }

        long version = parts.Index.Version;
        ref CachedList? kept = ref ofData ? ref _dataList : ref _topicList;
        if (Volatile.Read(ref kept) is not { } list || list.Version != version)
        {
            CoapContent content = ToContent(request, Visible(request), ofData);
            Volatile.Write(ref kept, list = new CachedList(version, content, CoapETag.FromContent(content.Bytes.Span, content.Format)));
        }

        return CoapResults.ValidOr(request, list.ETag, () => CoapResults.Content(list.Content));
    }

    private CoapResult Filter(CoapRequestContext request)
    {
        if (!TryReadProperties(request, out CoapTopicProperties wanted, out CoapResult? refusal))
        {
            return refusal;
        }

        if (wanted.Initial is not null)
        {
            return Invalid(CoapCode.BadRequest, "initialize cannot be used as a filter. Leave it out.");
        }

        uint keys = TopicPropertiesSerializer.KeysOf(wanted);
        byte[] all = TopicPropertiesSerializer.Write(wanted);
        return Links(request, Visible(request).Where(topic => MayPass(topic, wanted)
            && TopicPropertiesSerializer.Write(topic.Describe(topic.State.Properties), keys).AsSpan().SequenceEqual(all)), ofData: false);
    }

    // Strangers may ask often for properties that few topics have. A topic that does not match costs a comparison and no memory.
    private static bool MayPass(Topic topic, CoapTopicProperties wanted)
    {
        CoapTopicProperties known = topic.State.Properties;
        return (wanted.Name is null || wanted.Name == known.Name)
            && (wanted.DataUri is null || wanted.DataUri.EndsWith(topic.Id, StringComparison.Ordinal))
            && (wanted.ResourceType is null || wanted.ResourceType == known.ResourceType)
            && (wanted.ContentFormat is null || wanted.ContentFormat == known.ContentFormat)
            && (wanted.TopicType is null || wanted.TopicType == known.TopicType)
            && (wanted.Expiration is null || known.Expiration is not null)
            && (wanted.MaxSubscribers is null || wanted.MaxSubscribers == known.MaxSubscribers)
            && (wanted.ObserverCheck is null || known.ObserverCheck is not null
                || wanted.ObserverCheck == TimeSpan.FromSeconds(PubSubDraft.DefaultObserverCheck));
    }

    private IEnumerable<Topic> Visible(CoapRequestContext request)
    {
        long version = parts.Index.Version;
        if (Volatile.Read(ref _all) is not { } all || all.Version != version)
        {
            Topic[] topics = [.. parts.Index.All.Where(topic => topic.State.Collection == Path)
                .OrderBy(static topic => topic.Id, StringComparer.Ordinal)];
            Volatile.Write(ref _all, all = new CachedTopics(version, topics));
        }

        return parts.Options.Authorize is null
            ? all.Topics
            : all.Topics.Where(topic => _clients.IsAllowed(request, CoapPubSubOperation.ReadTopic, topic));
    }

    // /.well-known/core lists topics only for clients that filter by type, and only while there are few: clients and groups ask often for
    // the full list of a server. Clients that want topics find the collection in it.
    private IEnumerable<CoapLink> Discover(CoapRequestContext request)
    {
        if (parts.Options.Limits.MaxTopicsInDiscovery == 0 || request.IsMulticast || !request.TryGetQuery("rt", out _))
        {
            return [];
        }

        if (parts.Options.Authorize is not null)
        {
            return FewLinks(request);
        }

        long version = parts.Index.Version;
        if (Volatile.Read(ref _discovered) is not { } kept || kept.Version != version)
        {
            Volatile.Write(ref _discovered, kept = new CachedLinks(version, FewLinks(request)));
        }

        return kept.Links;
    }

    private CoapLink[] FewLinks(CoapRequestContext request)
    {
        int most = parts.Options.Limits.MaxTopicsInDiscovery;
        Topic[] topics = [.. Visible(request).Take(most + 1)];
        return topics.Length > most ? [] : [.. topics.SelectMany(static topic => new[] { TopicLink(topic), DataLink(topic) })];
    }

    private static CoapResult Links(CoapRequestContext request, IEnumerable<Topic> topics, bool ofData)
    {
        CoapContent content = ToContent(request, topics, ofData);
        return CoapResults.ValidOr(request, CoapETag.FromContent(content.Bytes.Span, content.Format), () => CoapResults.Content(content));
    }

    private static CoapContent ToContent(CoapRequestContext request, IEnumerable<Topic> topics, bool ofData) => CoapLinkFormat.ToContent(
        CoapLinkFormat.Filter(ofData ? topics.Select(DataLink) : topics.Select(TopicLink), request.Queries));

    private static CoapLink TopicLink(Topic topic) => new(topic.Path, new CoapLinkAttribute("rt", PubSubDraft.TopicType));

    private static CoapLink DataLink(Topic topic)
    {
        CoapTopicProperties properties = topic.State.Properties;
        string type = properties.ResourceType is null or PubSubDraft.DataType or PubSubDraft.TopicType
            ? PubSubDraft.DataType
            : $"{PubSubDraft.DataType} {properties.ResourceType}";
        CoapLink link = new(topic.DataPath, new CoapLinkAttribute("rt", type), new CoapLinkAttribute("obs"));
        return properties.ContentFormat is { } format ? link.With("ct", format.Value.ToString(CultureInfo.InvariantCulture)) : link;
    }

    private sealed record CachedLinks(long Version, CoapLink[] Links);

    private sealed record CachedTopics(long Version, Topic[] Topics);

    private sealed record CachedList(long Version, CoapContent Content, CoapETag ETag);
}
