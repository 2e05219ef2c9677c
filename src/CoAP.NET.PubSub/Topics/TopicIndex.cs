using System.Collections.Concurrent;

namespace CoAP.NET.PubSub.Topics;

/// <summary>
/// All topics, as this node learns them from the table. It queues the consequences of a change, such as notifications;
/// <see cref="TryTakeUpdate"/> returns them outside of the locks of the table. Thread-safe.
/// </summary>
internal sealed class TopicIndex(TopicQuota shares, int? maxSubscribers)
{
    private readonly ConcurrentDictionary<string, Topic> _byId = new(StringComparer.Ordinal);
    private readonly ConcurrentQueue<TopicChangeEvent> _updates = new();
    private readonly Lock _gate = new();
    private readonly Dictionary<string, TaskCompletionSource> _awaited = new(StringComparer.Ordinal);
    private long _version;

    /// <summary>Counts the changes that affect lists: all but those of data.</summary>
    public long Version => Interlocked.Read(ref _version);

    /// <summary>All topics, in no order.</summary>
    public IEnumerable<Topic> All => _byId.Values;

    /// <summary>Whether changes wait for a reaction.</summary>
    public bool HasUpdates => !_updates.IsEmpty;

    /// <summary>Finds a topic by collection and path segment; null if there is none.</summary>
    public Topic? Find(string collection, string id) =>
        _byId.TryGetValue(id, out Topic? topic) && topic.State.Collection == collection ? topic : null;

    /// <summary>The state of a topic as this node knows it: another object after each change, null if there is none.</summary>
    public TopicState? StateOf(string id) => _byId.TryGetValue(id, out Topic? topic) ? topic.State : null;

    /// <summary>Waits until this node has learned of a completed change, perhaps at another node.</summary>
    /// <param name="id">The topic.</param>
    /// <param name="request">The request that made the change.</param>
    /// <param name="maxWait">The maximum time to wait.</param>
    /// <param name="time">The clock.</param>
    public Task WaitForUpdateAsync(string id, TopicOwnerRequest request, TimeSpan maxWait, TimeProvider time) =>
        request.IsDoneIn(StateOf(id)) ? Task.CompletedTask : HearLaterAsync(id, request, maxWait, time);

    /// <summary>Takes the next change that needs a reaction.</summary>
    public bool TryTakeUpdate(out TopicChangeEvent news) => _updates.TryDequeue(out news);

    /// <summary>Handles a change of an entry. Runs under the lock of its slot: one call at a time for each topic.</summary>
    public void OnChanged(CoapTableChange change)
    {
        string id = change.Key.ToString();
        Apply(change, id);
        Heard(id);
    }

    private async Task HearLaterAsync(string id, TopicOwnerRequest request, TimeSpan maxWait, TimeProvider time)
    {
        long began = time.GetTimestamp();
        for (TimeSpan left = maxWait; left > TimeSpan.Zero; left = maxWait - time.GetElapsedTime(began))
        {
            TaskCompletionSource? awaited;
            lock (_gate)
            {
                if (request.IsDoneIn(StateOf(id)))
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
                _updates.Enqueue(new TopicChangeEvent(topic, TopicChange.Gone, change.IsExpired));
            }

            return;
        }

        if (topic is null || before!.Creation != after.Creation)
        {
            if (topic is not null)
            {
                // It was deleted and created again before this node learned of either.
                shares.Remove(topic);
                _updates.Enqueue(new TopicChangeEvent(topic, TopicChange.Gone, false));
            }

            topic = new Topic(change.Key, after);
            topic.ApplyTerms(maxSubscribers);
            shares.Put(topic);
            _byId[id] = topic;
            Interlocked.Increment(ref _version);
            _updates.Enqueue(new TopicChangeEvent(topic, TopicChange.Data, false));
            return;
        }

        topic.State = after;
        shares.Put(topic);
        if (after.DataVersion != before.DataVersion || !after.DataMarks.Equals(before.DataMarks))
        {
            _updates.Enqueue(new TopicChangeEvent(topic, TopicChange.Data, false));
        }

        if (after.Properties != before.Properties)
        {
            Interlocked.Increment(ref _version);
            _updates.Enqueue(new TopicChangeEvent(topic, TopicChange.Properties, false));
        }
    }
}
