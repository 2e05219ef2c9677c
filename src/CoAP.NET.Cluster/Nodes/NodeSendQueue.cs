namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// The posts that wait for another node, in a line for each kind. Bounded: the oldest of the line with the most bytes is dropped.
/// Thread-safe.
/// </summary>
/// <param name="dropped">Is called with the number of dropped posts.</param>
/// <param name="time">The clock.</param>
internal sealed class NodeSendQueue(Action<int> dropped, TimeProvider time)
{
    /// <summary>The maximum number of waiting bytes: 4 MiB.</summary>
    public const int MaxWaiting = 4 << 20;

    private readonly List<NodePostLine> _lines = [];
    private int _waiting;

    /// <summary>Guards the lines.</summary>
    public Lock Gate { get; } = new();

    public TimeProvider Time => time;

    /// <summary>Whether the node is not live any more. Requires the gate.</summary>
    public bool IsEnded { get; private set; }

    /// <summary>Adds a line; before the first post.</summary>
    /// <typeparam name="T">The type of its posts.</typeparam>
    /// <param name="send">Sends posts; completes when the node has them.</param>
    /// <param name="lengthOf">Returns the length of a post in bytes.</param>
    public NodePostLine<T> AddLine<T>(Func<IReadOnlyList<T>, Task> send, Func<T, int> lengthOf)
    {
        NodePostLine<T> line = new(this, send, lengthOf);
        _lines.Add(line);
        return line;
    }

    /// <summary>Counts bytes that wait, or do not wait any more, and drops posts above the limit. Requires the gate.</summary>
    /// <returns>The number of dropped posts.</returns>
    public int CountLocked(NodePostLine line, int bytes)
    {
        line.Bytes += bytes;
        _waiting += bytes;
        int lost = 0;
        for (; _waiting > MaxWaiting; lost++)
        {
            NodePostLine longest = _lines.MaxBy(static one => one.Bytes)!;
            int length = longest.DropLocked();
            longest.Bytes -= length;
            _waiting -= length;
        }

        return lost;
    }

    public void OnDropped(int count)
    {
        if (count > 0)
        {
            dropped(count);
        }
    }

    /// <summary>Ends with the node. What waits would be outdated when it is back.</summary>
    public void End()
    {
        lock (Gate)
        {
            IsEnded = true;
            _lines.ForEach(static line => line.ClearLocked());
        }
    }
}
