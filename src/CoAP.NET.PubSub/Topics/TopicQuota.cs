using System.Buffers.Binary;
using System.Text;
using CoAP.NET.Cryptography;
using CoAP.NET.Guarding;

namespace CoAP.NET.PubSub.Topics;

/// <summary>
/// Counts topics and the bytes of their data, in total and per source. A source never has more than its share (<see cref="FairShare"/>)
/// unless another source loses one, and topics of the largest source are evicted first. Thread-safe.
/// </summary>
internal sealed class TopicQuota(int maxTopics, long maxBytes)
{
    // The weight of a topic in addition to its bytes: many small topics weigh as much as few large ones.
    private readonly long _weight = maxBytes / maxTopics;
    private readonly Lock _gate = new();
    private readonly CompactSourceUsage<Topic> _kept = new();

    // Reserved and not yet stored.
    private readonly SourceLedger<ulong> _reserved = new();
    private readonly SourceLedger<ulong> _reservedBytes = new();

    /// <summary>The number of topics, without those that are being evicted.</summary>
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

    /// <summary>The number of bytes of the topics.</summary>
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

    public static ulong HashOf(string source)
    {
        Span<byte> hash = stackalloc byte[Sha256.HashLength];
        Sha256.HashData(Encoding.UTF8.GetBytes(source), hash);
        return BinaryPrimitives.ReadUInt64LittleEndian(hash);
    }

    /// <summary>Reserves room, if there is some and the source may have it. Return it with <see cref="Return"/>.</summary>
    /// <param name="source">The hash of the source that owns the topic.</param>
    /// <param name="topics">The number of additional topics, 0 or 1.</param>
    /// <param name="bytes">The number of additional bytes; 0 or more.</param>
    /// <returns>Whether there was room.</returns>
    public bool TryTake(ulong source, int topics, long bytes)
    {
        lock (_gate)
        {
            if (!HasRoom(source, topics, bytes) || FreeTopics < topics || FreeBytes < bytes)
            {
                return false;
            }

            _reserved.Take(source, topics);
            _reservedBytes.Take(source, bytes);
            return true;
        }
    }

    /// <summary>Returns a reservation: the topic was not created, or is stored and counts by itself.</summary>
    /// <param name="source">The hash of the source.</param>
    /// <param name="topics">The number of topics.</param>
    /// <param name="bytes">The number of bytes.</param>
    public void Return(ulong source, int topics, long bytes)
    {
        lock (_gate)
        {
            _reserved.Return(source, topics);
            _reservedBytes.Return(source, bytes);
        }
    }

    /// <summary>
    /// Finds a topic to evict for a source with fewer: of the largest source, the topic whose last publication or change is oldest. It does
    /// not count until it is put again.
    /// </summary>
    /// <param name="source">The hash of the requesting source.</param>
    /// <param name="topics">The number of requested topics.</param>
    /// <param name="bytes">The number of requested bytes.</param>
    /// <returns>The topic; null if none has to be evicted.</returns>
    public Topic? TakeForRoom(ulong source, int topics, long bytes)
    {
        lock (_gate)
        {
            int member = HasRoom(source, topics, bytes)
                ? _kept.TakeForRoom(source, WeightOf(source, topics, bytes))
                : CompactSourceUsage<Topic>.None;
            return member == CompactSourceUsage<Topic>.None ? null : _kept.OwnerOf(member);
        }
    }

    /// <summary>Adds a topic, or records a change or a publication.</summary>
    public void Put(Topic topic)
    {
        lock (_gate)
        {
            if (topic.Member == CompactSourceUsage<Topic>.None)
            {
                topic.Member = _kept.Add(topic.SourceHash, topic, _weight + Topic.BytesOf(topic.State));
                return;
            }

            _kept.Set(topic.Member, _weight + Topic.BytesOf(topic.State));
            _kept.Touch(topic.Member);
        }
    }

    /// <summary>Counts a topic again that was selected for eviction and still exists.</summary>
    public void GiveBack(Topic topic)
    {
        lock (_gate)
        {
            if (topic.Member != CompactSourceUsage<Topic>.None)
            {
                _kept.Set(topic.Member, _weight + Topic.BytesOf(topic.State));
            }
        }
    }

    public void Remove(Topic topic)
    {
        lock (_gate)
        {
            _kept.Remove(topic.Member);
            topic.Member = CompactSourceUsage<Topic>.None;
        }
    }

    private long FreeTopics => maxTopics - _kept.Count - _reserved.Total;

    private long FreeBytes => maxBytes - BytesOf(_kept.Count, _kept.Total) - _reservedBytes.Total;

    private bool HasRoom(ulong source, int topics, long bytes)
    {
        (int count, long amount) = _kept.Of(source);
        long heldBytes = BytesOf(count, amount) + _reservedBytes.AmountOf(source) + bytes;
        return ((topics == 0 || FairShare.HasRoom(count + _reserved.AmountOf(source) + topics, FreeTopics, maxTopics))
                && (bytes == 0 || FairShare.HasRoom(heldBytes, FreeBytes, maxBytes, least: 0)))
            || _kept.FindForRoom(source, WeightOf(source, topics, bytes)) != CompactSourceUsage<Topic>.None;
    }

    // The weight of a source with its request and its reservations.
    private long WeightOf(ulong source, int topics, long bytes) =>
        ((_reserved.AmountOf(source) + topics) * _weight) + _reservedBytes.AmountOf(source) + bytes;

    private long BytesOf(int count, long amount) => amount - (count * _weight);
}
