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
    private readonly Lock _gate = new();
    private readonly Dictionary<string, TaskCompletionSource> _awaited = new(StringComparer.Ordinal);
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

    /// <summary>What this node knows of a topic; another object after each change, null when there is none.</summary>
    public TopicState? StateOf(string id) => _byId.TryGetValue(id, out Topic? topic) ? topic.State : null;

    /// <summary>Waits until this node has heard of what was asked and done, perhaps at another one.</summary>
    /// <param name="id">The topic.</param>
    /// <param name="question">What was asked.</param>
    /// <param name="patience">How long.</param>
    /// <param name="time">The clock.</param>
    public Task HearAsync(string id, TopicQuestion question, TimeSpan patience, TimeProvider time) =>
        question.IsDoneIn(StateOf(id)) ? Task.CompletedTask : HearLaterAsync(id, question, patience, time);

    /// <summary>Takes the next change that something follows from.</summary>
    public bool TakeNews(out TopicNews news) => _news.TryDequeue(out news);

    /// <summary>An entry changed. Under the lock of its slot, so one call at a time for each topic.</summary>
    public void OnChanged(CoapTableChange change)
    {
        string id = change.Key.ToString();
        Apply(change, id);
        Heard(id);
    }

    private async Task HearLaterAsync(string id, TopicQuestion question, TimeSpan patience, TimeProvider time)
    {
        long began = time.GetTimestamp();
        for (TimeSpan left = patience; left > TimeSpan.Zero; left = patience - time.GetElapsedTime(began))
        {
            TaskCompletionSource? awaited;
            lock (_gate)
            {
                if (question.IsDoneIn(StateOf(id)))
                {
                    return;
                }

                if (!_awaited.TryGetValue(id, out awaited))
                {
                    _awaited.Add(id, awaited = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
                }
            }

            try
            {
                await awaited.Task.WaitAsync(left, time).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                Heard(id);
                return;
            }
        }
    }

    private void Heard(string id)
    {
        TaskCompletionSource? awaited;
        lock (_gate)
        {
            _awaited.Remove(id, out awaited);
        }

        awaited?.SetResult();
    }

    private void Apply(CoapTableChange change, string id)
    {
        _byId.TryGetValue(id, out Topic? topic);
        TopicState? before = topic?.State;
        TopicState? after = change.Value is { } value ? TopicState.Read(value) : null;
        if (after is null)
        {
            if (topic is not null)
            {
                _byId.TryRemove(id, out _);
                shares.Remove(topic);
                Interlocked.Increment(ref _version);
                _news.Enqueue(new TopicNews(topic, TopicChange.Gone, change.IsExpired));
            }

            return;
        }

        if (topic is null || before!.Creation != after.Creation)
        {
            if (topic is not null)
            {
                // It was deleted and made again while this node was not told.
                shares.Remove(topic);
                _news.Enqueue(new TopicNews(topic, TopicChange.Gone, false));
            }

            topic = new Topic(change.Key, after);
            topic.ApplyTerms(maxSubscribers);
            shares.Put(topic);
            _byId[id] = topic;
            Interlocked.Increment(ref _version);
            _news.Enqueue(new TopicNews(topic, TopicChange.Data, false));
            return;
        }

        topic.State = after;
        shares.Put(topic);
        if (after.DataVersion != before.DataVersion || !after.DataMarks.Equals(before.DataMarks))
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
