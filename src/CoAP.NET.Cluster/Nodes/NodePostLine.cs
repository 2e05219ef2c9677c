namespace CoAP.NET.Cluster.Nodes;

/// <summary>A line of posts to a node, as <see cref="NodeSendQueue"/> knows it, whose gate guards it.</summary>
internal abstract class NodePostLine
{
    /// <summary>The number of its waiting bytes.</summary>
    public int Bytes { get; set; }

    /// <summary>Drops the oldest post.</summary>
    /// <returns>Its length.</returns>
    public abstract int DropLocked();

    public abstract void ClearLocked();
}

/// <summary>
/// Posts of one kind on their way to a node. Those that arrive during a call are sent with the next one: the node acknowledges each call,
/// which slows down a sender that is too fast. Thread-safe.
/// </summary>
/// <typeparam name="T">The type of the posts.</typeparam>
/// <param name="queue">Has all lines to the node.</param>
/// <param name="send">Sends posts; completes when the node has them.</param>
/// <param name="lengthOf">Returns the length of a post in bytes.</param>
internal sealed class NodePostLine<T>(NodeSendQueue queue, Func<IReadOnlyList<T>, Task> send, Func<T, int> lengthOf) : NodePostLine
{
    // A call has about this many bytes.
    private const int Size = 32 << 10;

    // A node that answers later may be suspended.
    private static readonly TimeSpan s_acknowledgementTimeout = TimeSpan.FromSeconds(1);

    private readonly Queue<T> _posts = [];
    private bool _isSending;
    private long? _sentAt;

    /// <summary>Whether the acknowledgement of posts is overdue.</summary>
    public bool IsStalled
    {
        get
        {
            lock (queue.Gate)
            {
                return _sentAt is { } since && queue.Time.GetElapsedTime(since) >= s_acknowledgementTimeout;
            }
        }
    }

    /// <summary>Queues a post.</summary>
    /// <returns>False if the node is not live any more.</returns>
    public bool TryPost(T post)
    {
        int lost;
        bool isFirst;
        lock (queue.Gate)
        {
            if (queue.IsEnded)
            {
                return false;
            }

            _posts.Enqueue(post);
            lost = queue.CountLocked(this, lengthOf(post));
            isFirst = !_isSending;
            _isSending = true;
        }

        if (isFirst)
        {
            _ = SendAsync();
        }

        queue.OnDropped(lost);
        return true;
    }

    public override int DropLocked() => lengthOf(_posts.Dequeue());

    public override void ClearLocked()
    {
        _posts.Clear();
        _sentAt = null;
    }

    private async Task SendAsync()
    {
        // The caller may be a receiving thread. Further posts arrive meanwhile.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (TakeNext() is { Count: > 0 } posts)
        {
            try
            {
                await send(posts).ConfigureAwait(false);
            }
#pragma warning disable CA1031 // the node may be dead, stopping or slow; its datagrams are retransmitted
            catch (Exception)
#pragma warning restore CA1031
            {
                queue.OnDropped(posts.Count);
            }
        }
    }

    private List<T> TakeNext()
    {
        List<T> posts = [];
        lock (queue.Gate)
        {
            for (int bytes = 0; _posts.Count > 0 && bytes < Size;)
            {
                posts.Add(_posts.Dequeue());
                int length = lengthOf(posts[^1]);
                bytes += length;
                queue.CountLocked(this, -length);
            }

            _sentAt = posts.Count > 0 ? queue.Time.GetTimestamp() : null;
            _isSending = posts.Count > 0;
        }

        return posts;
    }
}
