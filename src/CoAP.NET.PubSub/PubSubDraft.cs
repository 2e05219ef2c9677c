namespace CoAP.NET.PubSub;

/// <summary>
/// All numbers, keys and names of draft-ietf-core-coap-pubsub-21. A new version of the draft, or numbers assigned by IANA, change only this
/// file.
/// </summary>
internal static class PubSubDraft
{
    public const string DiagnosticId = "COAPPS";

    /// <summary>The resource type (rt) of a broker.</summary>
    public const string BrokerType = "core.ps";

    /// <summary>The resource type (rt) of a collection of topics.</summary>
    public const string CollectionType = "core.ps.coll";

    /// <summary>
    /// The resource type (rt) of a topic, which is its configuration. Versions up to -19 also used it as the value of resource-type.
    /// </summary>
    public const string TopicType = "core.ps.conf";

    /// <summary>The resource type (rt) of the data of a topic, and the default of the property resource-type.</summary>
    public const string DataType = "core.ps.data";

    public const ulong TopicName = 0;
    public const ulong TopicData = 1;
    public const ulong ResourceType = 2;
    public const ulong TopicContentFormat = 3;
    public const ulong TopicKind = 4;
    public const ulong ExpirationDate = 5;
    public const ulong MaxSubscribers = 6;
    public const ulong ObserverCheck = 7;
    public const ulong Initialize = 8;

    /// <summary>One above the last key.</summary>
    public const ulong Keys = 9;

    /// <summary>The default of observer-check in seconds.</summary>
    public const uint DefaultObserverCheck = 86_400;

    /// <summary>The names of the properties by their keys.</summary>
    public static readonly string[] Names =
    [
        "topic-name", "topic-data", "resource-type", "topic-content-format", "topic-type", "expiration-date", "max-subscribers",
        "observer-check", "initialize",
    ];

    /// <summary>application/core-pubsub+cbor; the draft says TBD606.</summary>
    public static CoapContentFormat Format => (CoapContentFormat)606;

    /// <summary>The Content-Format of a FETCH request to a topic: an array of keys.</summary>
    public static CoapContentFormat KeysFormat => CoapContentFormat.Cbor;
}
