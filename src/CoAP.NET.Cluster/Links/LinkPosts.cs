using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// Items on their way to another node. Items that arrive during a request for the same path are sent with the next one: a busy link carries
/// many items per request, and an idle one delays none. Each node acknowledges the items, which slows down senders that are too fast. The
/// queue is bounded: the oldest item of the path with the most bytes is dropped. Thread-safe.
/// </summary>
internal sealed class LinkPosts(CoapNodeId self, CoapNodeId node, LinkCounts counts, TimeProvider time, ILogger logger)
{
    /// <summary>The maximum number of waiting bytes per node: 4 MiB.</summary>
    public const int MaxWaiting = 4 * 1024 * 1024;

    // A link without an answer for this time is dead; its pings detect that, too.
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(30);

    // A node that answers later may be suspended, which is uncertain until its lease ends.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly Dictionary<string, LinkLine> _lines = new(StringComparer.Ordinal);
    private readonly OccasionalLog _dropped = new(time);
    private CoapPeer? _peer;
    private int _waiting;

    /// <summary>Queues an item.</summary>
    /// <param name="path">The path of the other node.</param>
    /// <param name="item">The item; copied.</param>
    /// <returns>False if there is no link.</returns>
    public bool TryPost(string path, ReadOnlySpan<byte> item)
    {
        int dropped = 0;
        bool isFirst;
        LinkLine? line;
        lock (_gate)
        {
            if (_peer is null)
            {
                return false;
            }

            if (!_lines.TryGetValue(path, out line))
            {
                _lines.Add(path, line = new LinkLine(path));
            }

            int before = line.Waiting;
            line.Add(item);
            _waiting += line.Waiting - before;
            while (_waiting > MaxWaiting)
            {
                dropped += DropOldest();
            }

            isFirst = !line.IsSending;
            line.IsSending = true;
        }

        if (isFirst)
        {
            _ = SendAsync(line);
        }

        if (dropped > 0)
        {
            counts.OnDropped(dropped);
            if (_dropped.IsDue())
            {
                LinkLog.LinkItemsDropped(logger, self, node, dropped);
            }
        }

        return true;
    }

    /// <summary>Whether the acknowledgement of posts to a path is overdue.</summary>
    /// <param name="path">The path.</param>
    public bool IsStalled(string path)
    {
        lock (_gate)
        {
            return _lines.TryGetValue(path, out LinkLine? line) && line.SentAt is { } since && time.GetElapsedTime(since) >= s_patience;
        }
    }

    /// <summary>Starts with a new link.</summary>
    public void Start(CoapPeer peer)
    {
        lock (_gate)
        {
            _peer = peer;
        }
    }

    /// <summary>Stops because the link has ended. Waiting items would be outdated when the next link is up.</summary>
    public void Stop()
    {
        int dropped = 0;
        lock (_gate)
        {
            _peer = null;
            foreach (LinkLine line in _lines.Values)
            {
                dropped += line.Clear();
            }

            _waiting = 0;
        }

        counts.OnDropped(dropped);
    }

    private int DropOldest()
    {
        LinkLine longest = _lines.Values.MaxBy(static line => line.Waiting)!;
        int before = longest.Waiting;
        int items = longest.Take()!.Count;
        _waiting -= before - longest.Waiting;
        return items;
    }

    private async Task SendAsync(LinkLine line)
    {
        // The caller may be a receiving thread. Further items arrive meanwhile.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (true)
        {
            LinkBatch? batch;
            CoapPeer? peer;
            lock (_gate)
            {
                peer = _peer;
                int before = line.Waiting;
                batch = peer is null ? null : line.Take();
                _waiting -= before - line.Waiting;
                line.SentAt = batch is null ? null : time.GetTimestamp();
                if (batch is null)
                {
                    line.IsSending = false;
                    return;
                }
            }

            if (await TrySendAsync(peer!, line.Path, batch).ConfigureAwait(false))
            {
                lock (_gate)
                {
                    line.Reuse(batch);
                }
            }
        }
    }

    private async Task<bool> TrySendAsync(CoapPeer peer, string path, LinkBatch batch)
    {
        string reason;
        try
        {
            CoapRequest request = new(CoapMethod.Post, path) { Timeout = s_timeout };
            request.Message.Payload = batch.Bytes;
            CoapResponse response = await peer.SendAsync(request).ConfigureAwait(false);
            if (response.IsSuccess)
            {
                counts.OnSent(batch.Count);
                return true;
            }

            reason = response.Code.ToString();
        }
        catch (CoapException exception)
        {
            // The number of accepted items is unknown.
            reason = exception.Message;
        }

        counts.OnDropped(batch.Count);
        LinkLog.LinkBatchFailed(logger, node, batch.Count, path, reason);
        return false;
    }
}
