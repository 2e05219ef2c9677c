namespace CoAP.NET.PubSub.Topics;

/// <summary>What changed of a topic.</summary>
internal enum TopicChange
{
    /// <summary>Something was published, or the data were deleted.</summary>
    Data,

    /// <summary>Its configuration.</summary>
    Properties,

    /// <summary>It is no more.</summary>
    Gone,
}
