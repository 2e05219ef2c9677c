namespace CoAP.NET.PubSub;

/// <summary>
/// The properties of a topic (draft-ietf-core-coap-pubsub-21 section 2.2.1): those that are null are not given. To create a topic,
/// <see cref="Name"/> is needed; the first three of a topic never change.
/// </summary>
[Experimental(PubSubDraft.DiagnosticId)]
public sealed record CoapTopicProperties
{
    /// <summary>Makes properties of which none is given: for a filter, or for a change.</summary>
    public CoapTopicProperties()
    {
    }

    /// <summary>Makes the properties of a topic that is to be created.</summary>
    /// <param name="name">Its name, unique in its collection.</param>
    public CoapTopicProperties(string name) => Name = name;

    /// <summary>The name (topic-name): 1 to 128 bytes of UTF-8 without control characters, unique in the collection.</summary>
    public string? Name { get; init; }

    /// <summary>Where the data are (topic-data): a URI reference. Our broker chooses it.</summary>
    public string? DataUri { get; init; }

    /// <summary>
    /// The type of the resource with the data (resource-type), which is its rt attribute: 1 to 128 bytes without white space, quotes and
    /// control characters. A client that creates a topic sends <c>core.ps.data</c> where it is null.
    /// </summary>
    public string? ResourceType { get; init; }

    /// <summary>The Content-Format of the data (topic-content-format); publications in another one are refused (4.15).</summary>
    public CoapContentFormat? ContentFormat { get; init; }

    /// <summary>What the data are about (topic-type), such as <c>temperature</c>: up to 128 bytes without control characters.</summary>
    public string? TopicType { get; init; }

    /// <summary>When the topic is deleted (expiration-date), in whole seconds; must lie ahead.</summary>
    public DateTimeOffset? Expiration { get; init; }

    /// <summary>How many may subscribe at most (max-subscribers). Who comes later is answered once.</summary>
    public uint? MaxSubscribers { get; init; }

    /// <summary>
    /// How long a subscriber may be sent nothing that it has to acknowledge (observer-check): whole seconds from 1; our broker checks once
    /// a day at least (RFC 7641 section 4.5). A topic that says nothing has 24 hours.
    /// </summary>
    public TimeSpan? ObserverCheck { get; init; }

    /// <summary>What is published as the topic is created (initialize), in <see cref="ContentFormat"/>, which has to be given.</summary>
    public ReadOnlyMemory<byte>? Initial { get; init; }
}
