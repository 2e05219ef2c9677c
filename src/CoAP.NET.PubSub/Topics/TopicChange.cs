namespace CoAP.NET.PubSub.Topics;

/// <summary>The changed part of a topic.</summary>
internal enum TopicChange
{
    /// <summary>The data: published or deleted.</summary>
    Data,

    /// <summary>The configuration.</summary>
    Properties,

    /// <summary>The topic no longer exists.</summary>
    Gone,
}
