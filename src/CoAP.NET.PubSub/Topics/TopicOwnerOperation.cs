namespace CoAP.NET.PubSub.Topics;

/// <summary>The operations in requests of a node to the owner of a topic. The numbers are part of the format between nodes.</summary>
internal enum TopicOwnerOperation
{
    /// <summary>POST to the collection.</summary>
    Create = 1,

    /// <summary>POST to the topic: properties that are not given return to their defaults.</summary>
    Replace = 2,

    /// <summary>iPATCH of the topic: changes only the given properties.</summary>
    Change = 3,

    /// <summary>DELETE of the topic.</summary>
    Delete = 4,

    /// <summary>PUT of the data.</summary>
    Publish = 5,

    /// <summary>DELETE of the data.</summary>
    DeleteData = 6,

    /// <summary>
    /// Not a client's request: deletes the topic, if it is still the same one, to make room for a topic of a source with fewer topics.
    /// </summary>
    Evict = 7,
}
