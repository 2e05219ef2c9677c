using CoAP.NET.PubSub.Topics;

namespace CoAP.NET.PubSub;

/// <summary>
/// A client of a collection of topics at a broker (draft-ietf-core-coap-pubsub-21). It understands brokers of -19 too, such as the one of
/// the draft's author: other resource types, references to data without a slash, no FETCH. Thread-safe.
/// </summary>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed class CoapPubSubClient
{
    /// <summary>Makes a client.</summary>
    /// <param name="observer">What sends its requests: a client, an endpoint or a peer. It is not disposed.</param>
    /// <param name="collection">The absolute URI of the collection, such as <c>coap://broker.example/ps</c>.</param>
    public CoapPubSubClient(ICoapObserver observer, string collection)
    {
        ArgumentNullException.ThrowIfNull(observer);
        ArgumentNullException.ThrowIfNull(collection);
        Observer = observer;
        Collection = CoapUri.Parse(collection).ToString();
    }

    /// <summary>The URI of the collection.</summary>
    public string Collection { get; }

    internal ICoapObserver Observer { get; }

    /// <summary>Finds the collections of topics that a server has, by its <c>/.well-known/core</c>.</summary>
    /// <param name="observer">What sends the request, and those of the clients.</param>
    /// <param name="server">The URI of the server, such as <c>coap://broker.example</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A client for each collection.</returns>
    /// <exception cref="CoapException">The server could not be asked, or answered with an error.</exception>
    public static async Task<IReadOnlyList<CoapPubSubClient>> DiscoverAsync(
        ICoapObserver observer, string server, CancellationToken cancellationToken = default)
    {
        IReadOnlyList<CoapLink> links = await observer.DiscoverAsync(
            server, $"rt={PubSubDraft.CollectionType}", cancellationToken).ConfigureAwait(false);
        return [.. links.Select(link => new CoapPubSubClient(observer, link.ResolveTarget(server)))];
    }

    /// <summary>
    /// Creates a topic. Without a <see cref="CoapTopicProperties.ResourceType"/> it has <c>core.ps.data</c>; where a broker refuses that
    /// (4.00), the one that versions up to -19 had.
    /// </summary>
    /// <param name="properties">Its properties; the name is needed.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The topic.</returns>
    /// <exception cref="CoapResponseException">The broker refused, such as with 4.00 for a name that is in use.</exception>
    /// <exception cref="CoapException">The broker did not answer, or what it answered is no topic.</exception>
    public async Task<CoapTopic> CreateAsync(CoapTopicProperties properties, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(properties);
        CoapTopicProperties sent = properties with { ResourceType = properties.ResourceType ?? PubSubDraft.DataType };
        CoapResponse response = await PostAsync(sent, cancellationToken).ConfigureAwait(false);
        if (response.Code == CoapCode.BadRequest && properties.ResourceType is null)
        {
            CoapResponse second = await PostAsync(
                sent with { ResourceType = PubSubDraft.TopicType }, cancellationToken).ConfigureAwait(false);
            response = second.IsSuccess ? second : response;
        }

        response.EnsureSuccess();
        return response.Options.Location is { } location
            ? new CoapTopic(Observer, new CoapLink(location).ResolveTarget(Collection), CoapTopic.Read(response))
            : throw new CoapProtocolException($"The broker created a topic at {Collection}, but did not say where (Location-Path).");
    }

    /// <summary>The topics of the collection that the broker shows.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The topics, with no properties yet.</returns>
    /// <exception cref="CoapException">The broker did not answer, or with an error.</exception>
    public async Task<IReadOnlyList<CoapTopic>> ListAsync(CancellationToken cancellationToken = default) =>
        Topics((await Observer.GetAsync(Collection, cancellationToken).ConfigureAwait(false)).EnsureSuccess());

    /// <summary>
    /// The topics of which all properties that are given have the given values. A broker without FETCH, or of version -19, which filters by
    /// other rules, is asked for each of its topics; that it is one is seen from the first topic that it names.
    /// </summary>
    /// <param name="filter">The properties.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The topics.</returns>
    /// <exception cref="CoapException">The broker did not answer, or with an error.</exception>
    public async Task<IReadOnlyList<CoapTopic>> FindAsync(CoapTopicProperties filter, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(filter);
        byte[] wanted = TopicMap.Write(filter);
        CoapResponse response = await Observer.FetchAsync(
            Collection, new CoapContent(wanted, PubSubDraft.Format), cancellationToken).ConfigureAwait(false);
        IReadOnlyList<CoapTopic> topics = response.Code == CoapCode.MethodNotAllowed
            ? await ListAsync(cancellationToken).ConfigureAwait(false)
            : Topics(response.EnsureSuccess());
        if (response.IsSuccess && await FiltersAsync(topics, cancellationToken).ConfigureAwait(false))
        {
            return topics;
        }

        List<CoapTopic> found = [];
        foreach (CoapTopic topic in topics)
        {
            CoapTopicProperties properties = await topic.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (TopicMap.Write(properties, TopicMap.KeysOf(filter)).AsSpan().SequenceEqual(wanted))
            {
                found.Add(topic);
            }
        }

        return found;
    }

    /// <summary>A topic whose URI is known already.</summary>
    /// <param name="topic">The URI of its configuration; may be relative to the collection.</param>
    /// <returns>The topic, with no properties yet.</returns>
    public CoapTopic At(string topic)
    {
        ArgumentNullException.ThrowIfNull(topic);
        return new CoapTopic(Observer, new CoapLink(topic).ResolveTarget(Collection), null);
    }

    // Brokers of -19 look for another property in what they are asked, and answer with all topics where it is not there.
    private static async Task<bool> FiltersAsync(IReadOnlyList<CoapTopic> topics, CancellationToken cancellationToken) =>
        topics.Count == 0
            || (await topics[0].ReadAsync(cancellationToken).ConfigureAwait(false)).ResourceType != PubSubDraft.TopicType;

    private Task<CoapResponse> PostAsync(CoapTopicProperties properties, CancellationToken cancellationToken) => Observer.PostAsync(
        Collection, new CoapContent(TopicMap.Write(properties), PubSubDraft.Format), cancellationToken);

    private CoapTopic[] Topics(CoapResponse response) =>
        [.. CoapLinkFormat.Parse(response.Payload.Span).Select(link => At(link.Target))];
}
