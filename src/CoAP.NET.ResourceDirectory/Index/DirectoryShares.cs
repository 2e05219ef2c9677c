namespace CoAP.NET.ResourceDirectory;

/// <summary>How many registrations and bytes there are, how many of them each source has, and whose give way. Thread-safe.</summary>
/// <param name="weight">What a registration counts beside its bytes, so that many small ones weigh as much as few large ones.</param>
internal sealed class DirectoryShares(long weight)
{
    private readonly Lock _gate = new();

    // A member is the number of a place of the index.
    private readonly SourceShares<int> _shares = new();

    /// <summary>How many registrations there are, but for those that are giving way.</summary>
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

    /// <summary>How many bytes they take.</summary>
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

    /// <summary>How many sources have something.</summary>
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

    /// <summary>What a source has.</summary>
    /// <param name="share">The hash of the source.</param>
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

    /// <summary>A registration is there, has become another one, or was refreshed.</summary>
    /// <param name="member">Its number here; <see cref="SourceShares{T}.None"/> when it has none yet.</param>
    /// <param name="share">The hash of its source.</param>
    /// <param name="place">Its place in the index.</param>
    /// <param name="cost">The bytes that it takes.</param>
    /// <returns>Its number from now on.</returns>
    public int Put(int member, ulong share, int place, int cost)
    {
        lock (_gate)
        {
            if (member == SourceShares<int>.None)
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

    /// <summary>A registration has gone.</summary>
    /// <param name="member">Its number here.</param>
    public void Remove(int member)
    {
        lock (_gate)
        {
            _shares.Remove(member);
        }
    }

    /// <summary>Whether another source has more than one has even with what it asks for, so that it would give way to it.</summary>
    /// <param name="share">The hash of the source that asks.</param>
    /// <param name="cost">The bytes that it asks for.</param>
    public bool IsOutdone(ulong share, long cost)
    {
        lock (_gate)
        {
            return _shares.FindForRoom(share, weight + cost) != SourceShares<int>.None;
        }
    }

    /// <summary>
    /// Finds a registration that gives way to a source which has less: of the source that has most, the one that was not refreshed for
    /// longest. It does not count from then on, until it is put again.
    /// </summary>
    /// <param name="share">The hash of the source that asks.</param>
    /// <param name="cost">The bytes that it asks for.</param>
    /// <returns>Its place in the index; -1 when nobody has to give way.</returns>
    public int TakeForRoom(ulong share, long cost)
    {
        lock (_gate)
        {
            int member = _shares.TakeForRoom(share, weight + cost);
            return member == SourceShares<int>.None ? -1 : _shares.OwnerOf(member);
        }
    }

    private long BytesOf(int count, long amount) => amount - (count * weight);
}
