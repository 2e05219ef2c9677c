using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;

namespace CoAP.NET.PubSub.Topics;

/// <summary>
/// How many topics there are and how many bytes their data have, in all and of each source that made them. A source never has more than
/// there is free unless another one has more still, and the one that has most gives way; so however greedy some are, one that has nothing
/// finds room. Thread-safe.
/// </summary>
internal sealed class TopicShares(int maxTopics, long maxBytes)
{
    // What a topic counts beside its bytes, so that many small ones weigh as much as few large ones.
    private readonly long _weight = maxBytes / maxTopics;
    private readonly Lock _gate = new();
    private readonly SourceShares<Topic> _kept = new();

    // What is about to be kept.
    private readonly Dictionary<ulong, (int Topics, long Bytes)> _reservedOf = [];
    private int _reserved;
    private long _reservedBytes;

    /// <summary>How many topics there are, but for those that are giving way.</summary>
    public int Topics
    {
        get
        {
            lock (_gate)
            {
                return _kept.Count;
            }
        }
    }

    /// <summary>How many bytes they take.</summary>
    public long Bytes
    {
        get
        {
            lock (_gate)
            {
                return BytesOf(_kept.Count, _kept.Total);
            }
        }
    }

    /// <summary>The hash by which a source counts.</summary>
    /// <param name="source">The source.</param>
    public static ulong HashOf(string source)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(Encoding.UTF8.GetBytes(source), hash);
        return BinaryPrimitives.ReadUInt64LittleEndian(hash);
    }

    /// <summary>Takes room if there is some, and the source may have it. What is taken is given back by <see cref="Return"/>.</summary>
    /// <param name="source">The hash of the source whose topic it is.</param>
    /// <param name="topics">How many more topics, 0 or 1.</param>
    /// <param name="bytes">How many more bytes; 0 or more.</param>
    /// <returns>Whether there was room.</returns>
    public bool TryTake(ulong source, int topics, long bytes)
    {
        lock (_gate)
        {
            if (!HasShare(source, topics, bytes) || FreeTopics < topics || FreeBytes < bytes)
            {
                return false;
            }

            Reserve(source, topics, bytes);
            return true;
        }
    }

    /// <summary>Gives back what was taken: it did not come to be, or is kept and counts by itself.</summary>
    /// <param name="source">The hash of the source.</param>
    /// <param name="topics">How many topics.</param>
    /// <param name="bytes">How many bytes.</param>
    public void Return(ulong source, int topics, long bytes)
    {
        lock (_gate)
        {
            Reserve(source, -topics, -bytes);
        }
    }

    /// <summary>
    /// Finds a topic that gives way to a source which has less: of the source that has most, the one that was not published to or changed
    /// for longest. It does not count from then on, until it is put again.
    /// </summary>
    /// <param name="source">The hash of the source that asks.</param>
    /// <param name="topics">For how many topics it asks.</param>
    /// <param name="bytes">For how many bytes.</param>
    /// <returns>The topic; null when nobody has to give way.</returns>
    public Topic? TakeForRoom(ulong source, int topics, long bytes)
    {
        lock (_gate)
        {
            int member = HasShare(source, topics, bytes)
                ? _kept.TakeForRoom(source, WeightOf(source, topics, bytes))
                : SourceShares<Topic>.None;
            return member == SourceShares<Topic>.None ? null : _kept.OwnerOf(member);
        }
    }

    /// <summary>A topic is there, was changed, or was published to.</summary>
    /// <param name="topic">The topic.</param>
    public void Put(Topic topic)
    {
        lock (_gate)
        {
            if (topic.Member == SourceShares<Topic>.None)
            {
                topic.Member = _kept.Add(topic.Share, topic, _weight + Topic.BytesOf(topic.State));
                return;
            }

            _kept.Set(topic.Member, _weight + Topic.BytesOf(topic.State));
            _kept.Touch(topic.Member);
        }
    }

    /// <summary>A topic that was to give way is still there.</summary>
    /// <param name="topic">The topic.</param>
    public void GiveBack(Topic topic)
    {
        lock (_gate)
        {
            if (topic.Member != SourceShares<Topic>.None)
            {
                _kept.Set(topic.Member, _weight + Topic.BytesOf(topic.State));
            }
        }
    }

    /// <summary>A topic has gone.</summary>
    /// <param name="topic">The topic.</param>
    public void Remove(Topic topic)
    {
        lock (_gate)
        {
            _kept.Remove(topic.Member);
            topic.Member = SourceShares<Topic>.None;
        }
    }

    private int FreeTopics => maxTopics - _kept.Count - _reserved;

    private long FreeBytes => maxBytes - BytesOf(_kept.Count, _kept.Total) - _reservedBytes;

    private bool HasShare(ulong source, int topics, long bytes)
    {
        (int count, long amount) = _kept.Of(source);
        (int reserved, long reservedBytes) = _reservedOf.GetValueOrDefault(source);
        return ((topics == 0 || count + reserved + topics <= FreeTopics)
                && (bytes == 0 || BytesOf(count, amount) + reservedBytes + bytes <= FreeBytes - bytes))
            || _kept.FindForRoom(source, WeightOf(source, topics, bytes)) != SourceShares<Topic>.None;
    }

    // What a source asks for, with what it is about to keep.
    private long WeightOf(ulong source, int topics, long bytes)
    {
        (int reserved, long reservedBytes) = _reservedOf.GetValueOrDefault(source);
        return ((reserved + topics) * _weight) + reservedBytes + bytes;
    }

    private void Reserve(ulong source, int topics, long bytes)
    {
        _reserved += topics;
        _reservedBytes += bytes;
        ref (int Topics, long Bytes) own = ref CollectionsMarshal.GetValueRefOrAddDefault(_reservedOf, source, out _);
        own = (own.Topics + topics, own.Bytes + bytes);
        if (own == default)
        {
            _reservedOf.Remove(source);
        }
    }

    private long BytesOf(int count, long amount) => amount - (count * _weight);
}
