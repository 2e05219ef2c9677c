using CoAP.NET.Guarding;

namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>Counts registrations and bytes in total and per source, and selects the ones that are evicted. Thread-safe.</summary>
/// <param name="weight">The weight of a registration in addition to its bytes: many small ones weigh as much as few large ones.</param>
internal sealed class RegistrationQuota(long weight)
{
    private readonly Lock _gate = new();

    // A member is the number of a slot of the index.
    private readonly CompactSourceUsage<int> _shares = new();

    /// <summary>The number of registrations, without those that are being evicted.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _shares.Count;
            }
        }
    }

    /// <summary>The number of their bytes.</summary>
    public long Bytes
    {
        get
        {
            lock (_gate)
            {
                return BytesOf(_shares.Count, _shares.Total);
            }
        }
    }

    public int Sources
    {
        get
        {
            lock (_gate)
            {
                return _shares.Sources;
            }
        }
    }

    /// <summary>The registrations and bytes of a source.</summary>
    public (int Count, long Bytes) this[ulong share]
    {
        get
        {
            lock (_gate)
            {
                (int count, long amount) = _shares.Of(share);
                return (count, BytesOf(count, amount));
            }
        }
    }

    /// <summary>Adds, replaces or refreshes a registration.</summary>
    /// <param name="member">Its number here; <see cref="CompactSourceUsage{T}.None"/> for a new one.</param>
    /// <param name="share">The hash of its source.</param>
    /// <param name="place">Its slot in the index.</param>
    /// <param name="cost">The bytes that it takes.</param>
    /// <returns>Its new number.</returns>
    public int Put(int member, ulong share, int place, int cost)
    {
        lock (_gate)
        {
            if (member == CompactSourceUsage<int>.None)
            {
                return _shares.Add(share, place, weight + cost);
            }

            if (_shares.SourceOf(member) != share)
            {
                _shares.Remove(member);
                return _shares.Add(share, place, weight + cost);
            }

            _shares.Set(member, weight + cost);
            _shares.Touch(member);
            return member;
        }
    }

    public void Remove(int member)
    {
        lock (_gate)
        {
            _shares.Remove(member);
        }
    }

    /// <summary>Whether another source has more than this one would have with its request, and would therefore lose one.</summary>
    /// <param name="share">The hash of the requesting source.</param>
    /// <param name="cost">The requested bytes.</param>
    public bool IsOutdone(ulong share, long cost)
    {
        lock (_gate)
        {
            return _shares.FindForRoom(share, weight + cost) != CompactSourceUsage<int>.None;
        }
    }

    /// <summary>
    /// Selects a registration to evict for a source with fewer: of the largest source, the one whose last refresh is oldest. It does not
    /// count until it is put again.
    /// </summary>
    /// <param name="share">The hash of the requesting source.</param>
    /// <param name="cost">The requested bytes.</param>
    /// <returns>Its slot in the index; -1 if none has to be evicted.</returns>
    public int TakeForRoom(ulong share, long cost)
    {
        lock (_gate)
        {
            int member = _shares.TakeForRoom(share, weight + cost);
            return member == CompactSourceUsage<int>.None ? -1 : _shares.OwnerOf(member);
        }
    }

    private long BytesOf(int count, long amount) => amount - (count * weight);
}
