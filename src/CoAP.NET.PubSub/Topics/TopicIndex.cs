using System.Collections.Concurrent;
using CoAP.NET.Cluster;

namespace CoAP.NET.PubSub.Topics;

/// <summary>
/// The topics that this node knows, which are all: what it is told of the table. What follows from a change, such as notifications, is
/// noted, and done by <see cref="TakeNews"/> outside of the locks of the table. Thread-safe.
/// </summary>
internal sealed class TopicIndex(TopicShares shares, int? maxSubscribers)
{
    private readonly ConcurrentDictionary<string, Topic> _byId = new(StringComparer.Ordinal);
    private readonly ConcurrentQueue<TopicNews> _news = new();
    private long _version;

    /// <summary>Counts the changes that lists may show: not those of data.</summary>
    public long Version => Interlocked.Read(ref _version);

    /// <summary>All topics, in no order.</summary>
    public IEnumerable<Topic> All => _byId.Values;

    /// <summary>Whether there is something to be done.</summary>
    public bool HasNews => !_news.IsEmpty;

    /// <summary>The topic of a segment of a path in a collection; null when there is none.</summary>
    public Topic? Find(string collection, string id) =>
        _byId.TryGetValue(id, out Topic? topic) && topic.State.Collection == collection ? topic : null;

    /// <summary>Takes the next change that something follows from.</summary>
    public bool TakeNews(out TopicNews news) => _news.TryDequeue(out news);

    /// <summary>An entry changed. Under the lock of its slot, so one call at a time for each topic.</summary>
    public void OnChanged(CoapTableChange change)
    {
        string id = change.Key.ToString();
        _byId.TryGetValue(id, out Topic? topic);
        TopicState? before = topic?.State;
        TopicState? after = change.Value is { } value ? TopicState.Read(value) : null;
        shares.Change(before?.Source ?? string.Empty, before is null ? 0 : -1, before is null ? 0 : -Topic.BytesOf(before));
        if (after is null)
        {
            if (topic is not null)
            {
                _byId.TryRemove(id, out _);
                Interlocked.Increment(ref _version);
                _news.Enqueue(new TopicNews(topic, TopicChange.Gone, change.IsExpired));
            }

            return;
        }

        shares.Change(after.Source, 1, Topic.BytesOf(after));
        if (topic is null || before!.Creation != after.Creation)
        {
            if (topic is not null)
            {
                // It was deleted and made again while this node was not told.
                _news.Enqueue(new TopicNews(topic, TopicChange.Gone, false));
            }

            topic = new Topic(change.Key, after);
            topic.ApplyTerms(maxSubscribers);
            _byId[id] = topic;
            Interlocked.Increment(ref _version);
            _news.Enqueue(new TopicNews(topic, TopicChange.Data, false));
            return;
        }

        topic.State = after;
        if (after.DataVersion != before.DataVersion)
        {
            _news.Enqueue(new TopicNews(topic, TopicChange.Data, false));
        }

        if (after.Properties != before.Properties)
        {
            Interlocked.Increment(ref _version);
            _news.Enqueue(new TopicNews(topic, TopicChange.Properties, false));
        }
    }
}
