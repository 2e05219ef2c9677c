using CoAP.NET.PubSub.Topics;

namespace CoAP.NET.PubSub;

/// <summary>A client of a collection of topics at a broker (draft-ietf-core-coap-pubsub-21).</summary>
/// <remarks>
/// It also understands brokers of version -19, such as the one of the draft's author. These use other resource types, write references to
/// data without a slash, and lack FETCH. Thread-safe.
/// </remarks>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed class CoapPubSubClient
{
    /// <summary>Creates a client.</summary>
    /// <param name="client">Sends the requests: a client, an endpoint or a peer. The caller keeps ownership and disposes it.</param>
    /// <param name="collection">The absolute URI of the collection, such as <c>coap://broker.example/ps</c>.</param>
    /// <exception cref="ArgumentException"><paramref name="collection"/> is not a CoAP URI.</exception>
    public CoapPubSubClient(ICoapClient client, CoapUri collection)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(collection);
        Client = client;
        CoapUri.RequireCoap(collection, nameof(collection));
        Collection = collection;
    }

    /// <inheritdoc cref="CoapPubSubClient(ICoapClient, CoapUri)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public CoapPubSubClient(ICoapClient client, string collection)
        : this(client, CoapUri.FromString(collection))
    {
    }

    /// <summary>The URI of the collection.</summary>
    public CoapUri Collection { get; }

    internal ICoapClient Client { get; }

    /// <summary>Discovers the collections of topics of a server through its <c>/.well-known/core</c>.</summary>
    /// <param name="client">Sends the request, and the requests of the returned clients.</param>
    /// <param name="server">The URI of the server, such as <c>coap://broker.example</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A client for each collection.</returns>
    /// <exception cref="CoapException">The server is unreachable or answered with an error.</exception>
    public static async Task<IReadOnlyList<CoapPubSubClient>> DiscoverAsync(
        ICoapClient client, CoapUri server, CancellationToken cancellationToken = default)
    {
        IReadOnlyList<CoapLink> links = await client.DiscoverAsync(
            server, $"rt={PubSubDraft.CollectionType}", cancellationToken).ConfigureAwait(false);
        return [.. links.Select(link => new CoapPubSubClient(client, link.ResolveTarget(server.ToString())))];
    }

    /// <inheritdoc cref="DiscoverAsync(ICoapClient, CoapUri, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static Task<IReadOnlyList<CoapPubSubClient>> DiscoverAsync(
        ICoapClient client, string server, CancellationToken cancellationToken = default) =>
        DiscoverAsync(client, CoapUri.FromString(server), cancellationToken);

    /// <summary>Creates a topic.</summary>
    /// <remarks>
    /// Without a <see cref="CoapTopicProperties.ResourceType"/> the client sends <c>core.ps.data</c>. If the broker refuses that (4.00),
    /// the client retries with the resource type of versions up to -19.
    /// </remarks>
    /// <param name="properties">The properties of the topic; the name is required.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The topic.</returns>
    /// <exception cref="CoapResponseException">The broker refused, for example with 4.00 for a name in use.</exception>
    /// <exception cref="CoapException">The broker did not answer, or its answer is not a topic.</exception>
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
            ? new CoapTopic(Client, CoapTopic.Resolve(Collection, location), CoapTopic.Read(response))
            : throw new CoapProtocolException($"The broker created a topic at {Collection}, but did not say where (Location-Path).");
    }

    /// <summary>Lists the topics of the collection that this client may see.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The topics; their <see cref="CoapTopic.Properties"/> are not read yet.</returns>
    /// <exception cref="CoapException">The broker did not answer, or answered with an error.</exception>
    public async Task<IReadOnlyList<CoapTopic>> ListAsync(CancellationToken cancellationToken = default) =>
        Topics((await Client.GetAsync(Collection, cancellationToken).ConfigureAwait(false)).EnsureSuccess());

    /// <summary>Finds the topics that match all given properties.</summary>
    /// <remarks>
    /// If the broker has no FETCH, or is of version -19 with its other filter rules, the client reads each topic and filters by itself. It
    /// recognizes such a broker by the first topic in the answer.
    /// </remarks>
    /// <param name="filter">The properties to match; null properties match everything.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The topics.</returns>
    /// <exception cref="CoapException">The broker did not answer, or answered with an error.</exception>
    public async Task<IReadOnlyList<CoapTopic>> FindAsync(CoapTopicProperties filter, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(filter);
        byte[] wanted = TopicPropertiesSerializer.Write(filter);
        CoapResponse response = await Client.FetchAsync(
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
            if (TopicPropertiesSerializer.Write(properties, TopicPropertiesSerializer.KeysOf(filter)).AsSpan().SequenceEqual(wanted))
            {
                found.Add(topic);
            }
        }

        return found;
    }

    /// <summary>Returns a topic whose URI is already known, without a request.</summary>
    /// <param name="topic">The URI of its configuration, absolute or relative to the collection.</param>
    /// <returns>The topic; its <see cref="CoapTopic.Properties"/> are not read yet.</returns>
    /// <exception cref="ArgumentException">The URI has a scheme that is not one of CoAP.</exception>
    public CoapTopic At(CoapUri topic)
    {
        ArgumentNullException.ThrowIfNull(topic);
        CoapUri uri = Collection.ResolveReference(topic);
        CoapUri.RequireCoap(uri, nameof(topic));
        return new CoapTopic(Client, uri, null);
    }

    /// <inheritdoc cref="At(CoapUri)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public CoapTopic At(string topic) => At(CoapUri.FromString(topic));

    // Brokers of -19 filter by another property and return all topics if the filter lacks it.
    private static async Task<bool> FiltersAsync(IReadOnlyList<CoapTopic> topics, CancellationToken cancellationToken) =>
        topics.Count == 0
            || (await topics[0].ReadAsync(cancellationToken).ConfigureAwait(false)).ResourceType != PubSubDraft.TopicType;

    private Task<CoapResponse> PostAsync(CoapTopicProperties properties, CancellationToken cancellationToken) => Client.PostAsync(
        Collection, new CoapContent(TopicPropertiesSerializer.Write(properties), PubSubDraft.Format), cancellationToken);

    private CoapTopic[] Topics(CoapResponse response) =>
        [.. CoapLinkFormat.Parse(response.Payload.Span).Select(link => At(link.Target))];
}
