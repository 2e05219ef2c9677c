namespace CoAP.NET.PubSub;

/// <summary>The properties of a topic (draft-ietf-core-coap-pubsub-21 section 2.2.1). A null property is not given.</summary>
/// <remarks><see cref="Name"/> is required to create a topic. The first three properties of a topic never change.</remarks>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed record CoapTopicProperties
{
    /// <summary>Creates an empty set of properties, for a filter or a change.</summary>
    public CoapTopicProperties()
    {
    }

    /// <summary>Creates the properties of a new topic.</summary>
    /// <param name="name">Its name, unique in its collection.</param>
    public CoapTopicProperties(string name) => Name = name;

    /// <summary>The name (topic-name): 1 to 128 bytes of UTF-8 without control characters, unique in the collection.</summary>
    public string? Name { get; init; }

    /// <summary>The URI reference of the data (topic-data). The broker of this library chooses it.</summary>
    public string? DataUri { get; init; }

    /// <summary>The type of the resource with the data (resource-type), which is its rt attribute.</summary>
    /// <remarks>
    /// 1 to 128 bytes without white space, quotes and control characters. If it is null, a client that creates a topic sends
    /// <c>core.ps.data</c>.
    /// </remarks>
    public string? ResourceType { get; init; }

    /// <summary>The Content-Format of the data (topic-content-format); the broker refuses publications in another one (4.15).</summary>
    public CoapContentFormat? ContentFormat { get; init; }

    /// <summary>The subject of the data (topic-type), such as <c>temperature</c>: up to 128 bytes without control characters.</summary>
    public string? TopicType { get; init; }

    /// <summary>The time at which the broker deletes the topic (expiration-date), in whole seconds; must be in the future.</summary>
    public DateTimeOffset? Expiration { get; init; }

    /// <summary>The maximum number of subscribers (max-subscribers). Further clients get one response and no notifications.</summary>
    public uint? MaxSubscribers { get; init; }

    /// <summary>
    /// The maximum time between two Confirmable notifications to a subscriber (observer-check), in whole seconds from 1. Default 24 hours.
    /// </summary>
    /// <remarks>The broker of this library checks each subscriber at least once a day (RFC 7641 section 4.5).</remarks>
    public TimeSpan? ObserverCheck { get; init; }

    /// <summary>
    /// The first publication, made when the topic is created (initialize), in <see cref="ContentFormat"/>, which is required then.
    /// </summary>
    public ReadOnlyMemory<byte>? Initial { get; init; }
}
