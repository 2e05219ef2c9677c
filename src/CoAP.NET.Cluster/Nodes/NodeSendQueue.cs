namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// Posts on their way to another node. Those that arrive during a call are sent with the next one of their path: the node acknowledges each
/// call, which slows down a sender that is too fast. Bounded: the oldest of the path with the most bytes is dropped. Thread-safe.
/// </summary>
/// <param name="send">Sends posts of a path.</param>
/// <param name="dropped">Is called with the number of dropped posts.</param>
/// <param name="time">The clock.</param>
internal sealed class NodeSendQueue(Func<string, byte[][], Task> send, Action<int> dropped, TimeProvider time)
{
    /// <summary>The maximum length of a post in bytes.</summary>
    public const int MaxItem = ushort.MaxValue;

    /// <summary>The maximum number of waiting bytes: 4 MiB.</summary>
    public const int MaxWaiting = 4 << 20;

    // A call has about this many bytes.
    private const int Size = 32 << 10;

    // A node that answers later may be suspended.
    private static readonly TimeSpan s_acknowledgementTimeout = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly Dictionary<string, Line> _lines = new(StringComparer.Ordinal);
    private int _waiting;
    private bool _isEnded;

    /// <summary>Queues a post.</summary>
    /// <param name="path">The path.</param>
    /// <param name="item">The post; copied.</param>
    /// <returns>False at the end.</returns>
    public bool TryPost(string path, ReadOnlySpan<byte> item)
    {
        int lost = 0;
        Line? line;
        bool isFirst;
        lock (_gate)
        {
            if (_isEnded)
            {
                return false;
            }

            if (!_lines.TryGetValue(path, out line))
            {
                _lines.Add(path, line = new Line(path));
            }

            line.Items.Enqueue(item.ToArray());
            line.Bytes += item.Length;
            _waiting += item.Length;
            for (; _waiting > MaxWaiting; lost++)
            {
                Line longest = _lines.Values.MaxBy(static one => one.Bytes)!;
                _waiting -= longest.Take().Length;
            }

            isFirst = !line.IsSending;
            line.IsSending = true;
        }

        if (isFirst)
        {
            _ = SendAsync(line);
        }

        if (lost > 0)
        {
            dropped(lost);
        }

        return true;
    }

    /// <summary>Whether the acknowledgement of posts to a path is overdue.</summary>
    public bool IsStalled(string path)
    {
        lock (_gate)
        {
            return _lines.TryGetValue(path, out Line? line) && line.SentAt is { } since
                && time.GetElapsedTime(since) >= s_acknowledgementTimeout;
        }
    }

    /// <summary>Ends with the node. What waits would be outdated when it is back.</summary>
    public void End()
    {
        lock (_gate)
        {
            _isEnded = true;
            _lines.Clear();
            _waiting = 0;
        }
    }

    private async Task SendAsync(Line line)
    {
        // The caller may be a receiving thread. Further posts arrive meanwhile.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (true)
        {
            List<byte[]> items = [];
            lock (_gate)
            {
                for (int bytes = 0; !_isEnded && line.Items.Count > 0 && bytes < Size; bytes += items[^1].Length)
                {
                    items.Add(line.Take());
                    _waiting -= items[^1].Length;
                }

                line.SentAt = items.Count > 0 ? time.GetTimestamp() : null;
                line.IsSending = items.Count > 0;
                if (items.Count == 0)
                {
                    return;
                }
            }

            try
            {
                await send(line.Path, [.. items]).ConfigureAwait(false);
            }
#pragma warning disable CA1031 // the node may be dead, stopping or slow; its datagrams are retransmitted
            catch (Exception)
#pragma warning restore CA1031
            {
                dropped(items.Count);
            }
        }
    }

    private sealed class Line(string path)
    {
        public string Path { get; } = path;

        public Queue<byte[]> Items { get; } = [];

        public int Bytes { get; set; }

        public bool IsSending { get; set; }

        public long? SentAt { get; set; }

        public byte[] Take()
        {
            byte[] item = Items.Dequeue();
            Bytes -= item.Length;
            return item;
        }
    }
}
