namespace CoAP.NET.PubSub.Topics;

/// <summary>A change of a topic that needs a reaction.</summary>
/// <param name="Topic">The topic.</param>
/// <param name="Change">The changed part.</param>
/// <param name="IsExpired">Whether it ended because it expired.</param>
internal readonly record struct TopicChangeEvent(Topic Topic, TopicChange Change, bool IsExpired);
