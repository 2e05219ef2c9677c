namespace CoAP.NET.PubSub.Topics;

/// <summary>What the owner of a topic is asked. The numbers stand in questions between nodes.</summary>
internal enum TopicOperation
{
    /// <summary>POST to the collection.</summary>
    Create = 1,

    /// <summary>POST to the topic: what is not given returns to its default.</summary>
    Replace = 2,

    /// <summary>iPATCH of the topic: only what is given changes.</summary>
    Change = 3,

    /// <summary>DELETE of the topic.</summary>
    Delete = 4,

    /// <summary>PUT of the data.</summary>
    Publish = 5,

    /// <summary>DELETE of the data.</summary>
    DeleteData = 6,

    /// <summary>Nobody's request: the topic gives way to one of a source that has less, if it is still the same one.</summary>
    GiveWay = 7,
}
