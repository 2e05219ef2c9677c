using System.Runtime.CompilerServices;
using CoAP.NET.PubSub.Topics;

namespace CoAP.NET.PubSub;

/// <summary>A topic at a broker, for a client of it; see <see cref="CoapPubSubClient"/>. Thread-safe.</summary>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed class CoapTopic
{
    private readonly ICoapObserver _observer;
    private CoapTopicProperties? _properties;

    internal CoapTopic(ICoapObserver observer, string uri, CoapTopicProperties? properties)
    {
        _observer = observer;
        Uri = uri;
        _properties = properties;
    }

    /// <summary>The URI of the topic, which is its configuration.</summary>
    public string Uri { get; }

    /// <summary>The properties as the broker told them last; null before it was asked.</summary>
    public CoapTopicProperties? Properties => Volatile.Read(ref _properties);

    /// <summary>Reads all properties.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The properties.</returns>
    /// <exception cref="CoapException">The broker did not answer, or with an error.</exception>
    public async Task<CoapTopicProperties> ReadAsync(CancellationToken cancellationToken = default) =>
        Keep(await _observer.GetAsync(Uri, cancellationToken).ConfigureAwait(false));

    /// <summary>Changes the properties that are given, and no others (iPATCH).</summary>
    /// <param name="properties">The properties.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>All properties after that.</returns>
    /// <exception cref="CoapResponseException">The broker refused, such as with 4.00 for what never changes.</exception>
    /// <exception cref="CoapException">The broker did not answer.</exception>
    public async Task<CoapTopicProperties> ChangeAsync(CoapTopicProperties properties, CancellationToken cancellationToken = default) =>
        Keep(await _observer.IPatchAsync(Uri, ContentOf(properties), cancellationToken).ConfigureAwait(false));

    /// <summary>Replaces the properties: those that are not given return to their defaults (POST).</summary>
    /// <param name="properties">The properties. The name and others that never change may be left out.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>All properties after that.</returns>
    /// <exception cref="CoapResponseException">The broker refused, such as with 4.00 for what never changes.</exception>
    /// <exception cref="CoapException">The broker did not answer.</exception>
    public async Task<CoapTopicProperties> ReplaceAsync(CoapTopicProperties properties, CancellationToken cancellationToken = default) =>
        Keep(await _observer.PostAsync(Uri, ContentOf(properties), cancellationToken).ConfigureAwait(false));

    /// <summary>Deletes the topic and its data; subscribers are told 4.04.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Whether it was there.</returns>
    /// <exception cref="CoapException">The broker did not answer, or refused.</exception>
    public async Task<bool> DeleteAsync(CancellationToken cancellationToken = default) =>
        WasThere(await _observer.DeleteAsync(Uri, cancellationToken).ConfigureAwait(false));

    /// <summary>Publishes: what subscribers are told, and what is read from then on.</summary>
    /// <param name="content">The data, in the Content-Format of the topic where it has one.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Whether it was the first publication.</returns>
    /// <exception cref="CoapResponseException">
    /// The broker refused: 4.15 for another Content-Format, 4.29 when it came too fast, 4.13 when it is too large.
    /// </exception>
    /// <exception cref="CoapException">The broker did not answer.</exception>
    public async Task<bool> PublishAsync(CoapContent content, CancellationToken cancellationToken = default)
    {
        string data = await FindDataAsync(cancellationToken).ConfigureAwait(false);
        CoapResponse response = await _observer.PutAsync(data, content, cancellationToken).ConfigureAwait(false);
        return response.EnsureSuccess().Code == CoapCode.Created;
    }

    /// <summary>Reads what was published last.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response of the broker; null when nothing was published yet (4.04).</returns>
    /// <exception cref="CoapException">The broker did not answer, or with another error.</exception>
    public async Task<CoapResponse?> GetDataAsync(CancellationToken cancellationToken = default)
    {
        string data = await FindDataAsync(cancellationToken).ConfigureAwait(false);
        CoapResponse response = await _observer.GetAsync(data, cancellationToken).ConfigureAwait(false);
        return response.Code == CoapCode.NotFound ? null : response.EnsureSuccess();
    }

    /// <summary>Deletes the data, so that nothing can be read before the next publication; subscribers are told 4.04.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Whether there were any.</returns>
    /// <exception cref="CoapException">The broker did not answer, or refused.</exception>
    public async Task<bool> DeleteDataAsync(CancellationToken cancellationToken = default)
    {
        string data = await FindDataAsync(cancellationToken).ConfigureAwait(false);
        return WasThere(await _observer.DeleteAsync(data, cancellationToken).ConfigureAwait(false));
    }

    /// <summary>
    /// Subscribes: gives what was published last, and then each new state until it is cancelled. Of states that follow one another
    /// faster than they can be told or read, the newest counts (RFC 7641): a topic is a state, not a queue. It goes on while there are no
    /// data yet, while there is no room for one more subscriber, and over restarts of the broker.
    /// </summary>
    /// <param name="cancellationToken">Ends the subscription.</param>
    /// <returns>The states, which are successes only.</returns>
    /// <exception cref="CoapException">The broker could not be asked where the data are.</exception>
    public async IAsyncEnumerable<CoapResponse> SubscribeAsync([EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        string data = await FindDataAsync(cancellationToken).ConfigureAwait(false);
        CoapObservation observation = await _observer.ObserveAsync(data, cancellationToken).ConfigureAwait(false);
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

    /// <summary>The URI of the data, which the broker is asked for once.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The absolute URI.</returns>
    /// <exception cref="CoapException">The broker did not answer, or did not say where the data are.</exception>
    public async Task<string> FindDataAsync(CancellationToken cancellationToken = default)
    {
        CoapTopicProperties properties = Properties is { DataUri: not null } known
            ? known
            : await ReadAsync(cancellationToken).ConfigureAwait(false);
        string data = properties.DataUri
            ?? throw new CoapProtocolException($"The broker did not say where the data of {Uri} are (topic-data).");

        // Brokers of -19 leave out the first slash; relative to the topic it would name another resource.
        bool isRelative = !data.StartsWith('/') && !data.Contains("://", StringComparison.Ordinal);
        return new CoapLink(isRelative ? $"/{data}" : data).ResolveTarget(Uri);
    }

    /// <summary>The properties of a response.</summary>
    /// <exception cref="CoapException">It has none.</exception>
    internal static CoapTopicProperties Read(CoapResponse response) =>
        TopicMap.TryRead(response.Payload.Span, isStrict: false, out CoapTopicProperties properties, out string? error)
            ? properties
            : throw new CoapProtocolException($"What the broker answered is no map of topic properties: {error}");

    private static CoapContent ContentOf(CoapTopicProperties properties)
    {
        ArgumentNullException.ThrowIfNull(properties);
        return new CoapContent(TopicMap.Write(properties), PubSubDraft.Format);
    }

    private static bool WasThere(CoapResponse response) => response.Code != CoapCode.NotFound && response.EnsureSuccess().IsSuccess;

    private CoapTopicProperties Keep(CoapResponse response)
    {
        CoapTopicProperties properties = Read(response.EnsureSuccess());
        Volatile.Write(ref _properties, properties);
        return properties;
    }
}
