using System.Runtime.CompilerServices;
using CoAP.NET.PubSub.Topics;

namespace CoAP.NET.PubSub;

/// <summary>A topic at a broker, from the client's side; see <see cref="CoapPubSubClient"/>. Thread-safe.</summary>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed class CoapTopic
{
    private readonly ICoapClient _client;
    private CoapTopicProperties? _properties;

    internal CoapTopic(ICoapClient client, CoapUri uri, CoapTopicProperties? properties)
    {
        _client = client;
        Uri = uri;
        _properties = properties;
    }

    /// <summary>The URI of the topic, which is the resource of its configuration.</summary>
    public CoapUri Uri { get; }

    /// <summary>The properties from the last response of the broker; null before the first request.</summary>
    public CoapTopicProperties? Properties => Volatile.Read(ref _properties);

    /// <summary>Reads all properties.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The properties.</returns>
    /// <exception cref="CoapException">The broker did not answer, or answered with an error.</exception>
    public async Task<CoapTopicProperties> ReadAsync(CancellationToken cancellationToken = default) =>
        Keep(await _client.GetAsync(Uri, cancellationToken).ConfigureAwait(false));

    /// <summary>Changes the given properties and keeps the others (iPATCH).</summary>
    /// <param name="properties">The properties to change.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>All properties after the change.</returns>
    /// <exception cref="CoapResponseException">The broker refused, for example with 4.00 for an immutable property.</exception>
    /// <exception cref="CoapException">The broker did not answer.</exception>
    public async Task<CoapTopicProperties> ChangeAsync(CoapTopicProperties properties, CancellationToken cancellationToken = default) =>
        Keep(await _client.IPatchAsync(Uri, ContentOf(properties), cancellationToken).ConfigureAwait(false));

    /// <summary>Replaces the properties (POST): properties that are not given return to their defaults.</summary>
    /// <param name="properties">The new properties. The name and other immutable properties are optional.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>All properties after the change.</returns>
    /// <exception cref="CoapResponseException">The broker refused, for example with 4.00 for an immutable property.</exception>
    /// <exception cref="CoapException">The broker did not answer.</exception>
    public async Task<CoapTopicProperties> ReplaceAsync(CoapTopicProperties properties, CancellationToken cancellationToken = default) =>
        Keep(await _client.PostAsync(Uri, ContentOf(properties), cancellationToken).ConfigureAwait(false));

    /// <summary>Deletes the topic and its data; subscribers get 4.04.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Whether the topic existed.</returns>
    /// <exception cref="CoapException">The broker did not answer, or refused.</exception>
    public async Task<bool> DeleteAsync(CancellationToken cancellationToken = default) =>
        WasThere(await _client.DeleteAsync(Uri, cancellationToken).ConfigureAwait(false));

    /// <summary>Publishes data: the broker notifies the subscribers, and later reads return the data.</summary>
    /// <param name="content">The data, in the Content-Format of the topic if it has one.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Whether it was the first publication.</returns>
    /// <exception cref="CoapResponseException">The broker refused: 4.15 for another Content-Format, 4.29 for publishing too fast, 4.13 for
    /// data that are too large.</exception>
    /// <exception cref="CoapException">The broker did not answer.</exception>
    public async Task<bool> PublishAsync(CoapContent content, CancellationToken cancellationToken = default)
    {
        CoapUri data = await FindDataAsync(cancellationToken).ConfigureAwait(false);
        CoapResponse response = await _client.PutAsync(data, content, cancellationToken).ConfigureAwait(false);
        return response.EnsureSuccess().Code == CoapCode.Created;
    }

    /// <summary>Reads the last publication.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response of the broker; null if nothing was published yet (4.04).</returns>
    /// <exception cref="CoapException">The broker did not answer, or answered with another error.</exception>
    public async Task<CoapResponse?> GetDataAsync(CancellationToken cancellationToken = default)
    {
        CoapUri data = await FindDataAsync(cancellationToken).ConfigureAwait(false);
        CoapResponse response = await _client.GetAsync(data, cancellationToken).ConfigureAwait(false);
        return response.Code == CoapCode.NotFound ? null : response.EnsureSuccess();
    }

    /// <summary>Deletes the data; nothing can be read before the next publication, and subscribers get 4.04.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Whether the topic had data.</returns>
    /// <exception cref="CoapException">The broker did not answer, or refused.</exception>
    public async Task<bool> DeleteDataAsync(CancellationToken cancellationToken = default)
    {
        CoapUri data = await FindDataAsync(cancellationToken).ConfigureAwait(false);
        return WasThere(await _client.DeleteAsync(data, cancellationToken).ConfigureAwait(false));
    }

    /// <summary>Subscribes: yields the last publication and then each new state until cancellation.</summary>
    /// <remarks>
    /// A topic is a state, not a queue: if states change faster than they can be sent or read, only the newest counts (RFC 7641). The
    /// subscription continues while the topic has no data, while the broker has no room for another subscriber, and across restarts of the
    /// broker.
    /// </remarks>
    /// <param name="cancellationToken">Ends the subscription.</param>
    /// <returns>The states; only successful responses.</returns>
    /// <exception cref="CoapException">The broker could not be asked for the URI of the data.</exception>
    public async IAsyncEnumerable<CoapResponse> SubscribeAsync([EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        CoapUri data = await FindDataAsync(cancellationToken).ConfigureAwait(false);
        CoapObservation observation = await _client.ObserveAsync(data, cancellationToken).ConfigureAwait(false);
        await using (observation.ConfigureAwait(false))
        {
            await foreach (CoapResponse state in observation.ReadAllAsync(cancellationToken).ConfigureAwait(false))
            {
                if (state.IsSuccess)
                {
                    yield return state;
                }
            }
        }
    }

    /// <summary>Returns the URI of the data; the first call asks the broker for it.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The absolute URI.</returns>
    /// <exception cref="CoapException">The broker did not answer, or its answer lacks the URI of the data.</exception>
    public async Task<CoapUri> FindDataAsync(CancellationToken cancellationToken = default)
    {
        CoapTopicProperties properties = Properties is { DataUri: not null } known
            ? known
            : await ReadAsync(cancellationToken).ConfigureAwait(false);
        string data = properties.DataUri
            ?? throw new CoapProtocolException($"The broker did not give the URI of the data of {Uri} (topic-data).");

        // Brokers of -19 leave out the leading slash. Relative to the topic such a reference would name another resource.
        bool isRelative = !data.StartsWith('/') && !data.Contains("://", StringComparison.Ordinal);
        return Resolve(Uri, isRelative ? $"/{data}" : data);
    }

    /// <summary>Resolves a reference of the broker.</summary>
    /// <exception cref="CoapProtocolException">It does not lead to a CoAP URI.</exception>
    internal static CoapUri Resolve(CoapUri from, string reference) =>
        from.TryResolve(reference, out CoapUri? uri, out string? error)
            ? uri : throw new CoapProtocolException($"The broker named a resource by a reference that is not valid: {error}");

    /// <summary>Reads the properties from a response.</summary>
    /// <exception cref="CoapException">The response has none.</exception>
    internal static CoapTopicProperties Read(CoapResponse response) =>
        TopicPropertiesSerializer.TryRead(response.Payload, isStrict: false, out CoapTopicProperties properties, out string? error)
            ? properties
            : throw new CoapProtocolException($"The broker's answer is not a map of topic properties: {error}");

    private static CoapContent ContentOf(CoapTopicProperties properties)
    {
        ArgumentNullException.ThrowIfNull(properties);
        return new CoapContent(TopicPropertiesSerializer.Write(properties), PubSubDraft.Format);
    }

    private static bool WasThere(CoapResponse response) => response.Code != CoapCode.NotFound && response.EnsureSuccess().IsSuccess;

    private CoapTopicProperties Keep(CoapResponse response)
    {
        CoapTopicProperties properties = Read(response.EnsureSuccess());
        Volatile.Write(ref _properties, properties);
        return properties;
    }
}
