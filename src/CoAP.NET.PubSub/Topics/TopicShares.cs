namespace CoAP.NET.PubSub.Topics;

/// <summary>
/// How many topics there are and how many bytes their data have, in all and of each source that made them. A source never has more than
/// there is free, so however greedy some are, one that has nothing finds room. Thread-safe.
/// </summary>
internal sealed class TopicShares(int maxTopics, long maxBytes)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, (int Topics, long Bytes)> _bySource = new(StringComparer.Ordinal);
    private int _topics;
    private long _bytes;

    /// <summary>How many topics there are.</summary>
    public int Topics => Volatile.Read(ref _topics);

    /// <summary>How many bytes they take.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Takes room if there is some. What is taken is given back by <see cref="Change"/>.</summary>
    /// <param name="source">Whose topic it is.</param>
    /// <param name="topics">How many more topics, 0 or 1.</param>
    /// <param name="bytes">How many more bytes; room for fewer is always there.</param>
    /// <returns>Whether there was room.</returns>
    public bool TryTake(string source, int topics, long bytes)
    {
        lock (_gate)
        {
            (int ownTopics, long ownBytes) = _bySource.GetValueOrDefault(source);
            if ((topics > 0 && ownTopics + topics > maxTopics - _topics) || (bytes > 0 && ownBytes + bytes > maxBytes - _bytes - bytes))
            {
                return false;
            }

            Add(source, topics, bytes);
            return true;
        }
    }

    /// <summary>Counts what is there, whether there is room or not.</summary>
    /// <param name="source">Whose topic it is.</param>
    /// <param name="topics">How many more topics.</param>
    /// <param name="bytes">How many more bytes.</param>
    public void Change(string source, int topics, long bytes)
    {
        lock (_gate)
        {
            Add(source, topics, bytes);
        }
    }

    private void Add(string source, int topics, long bytes)
    {
        _topics += topics;
        _bytes += bytes;
        (int ownTopics, long ownBytes) = _bySource.GetValueOrDefault(source);
        (ownTopics, ownBytes) = (ownTopics + topics, ownBytes + bytes);
        if (ownTopics == 0 && ownBytes == 0)
        {
            _bySource.Remove(source);
        }
        else
        {
            _bySource[source] = (ownTopics, ownBytes);
        }
    }
}
