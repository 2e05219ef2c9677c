namespace CoAP.NET.PubSub.Topics;

/// <summary>A change of a topic that something follows from.</summary>
/// <param name="Topic">The topic.</param>
/// <param name="Change">What changed.</param>
/// <param name="IsExpired">Whether it is gone as its time was over.</param>
internal readonly record struct TopicNews(Topic Topic, TopicChange Change, bool IsExpired);
