namespace CoAP.NET.PubSub.Topics;

/// <summary>The operations in questions to the owner of a topic. The numbers are part of the format between nodes.</summary>
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

    /// <summary>No client's request: the topic is evicted for one of a source with fewer, if it is still the same topic.</summary>
    Evict = 7,
}
