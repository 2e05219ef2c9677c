namespace CoAP.NET.Blockwise;

/// <summary>
/// The answers of one shard that peers fetch block by block (RFC 7959 sections 2.4 and 2.7), within a bound. Guarded by Shard.Gate.
/// </summary>
internal sealed class AnswerStore : IBodyKeeper<BodyTransfer>
{
    private readonly CoapShard _shard;
    private readonly BodyTable<BodyTransfer> _transfers;
    private readonly Dictionary<BodyKey, StoredBody> _bodies = [];
    private readonly Dictionary<BodyKey, BodyTransfer> _withoutPayload = [];

    public AnswerStore(CoapShard shard, BodyBudget budget)
    {
        _shard = shard;
        _transfers = new BodyTable<BodyTransfer>(shard, budget, this);
        Refusals = new AnswerRefusals(shard);
    }

    public int Transfers => _transfers.Count;

    public int Bodies => _bodies.Count;

    public BodyBudget Budget => _transfers.Budget;

    /// <summary>Answers that found no room.</summary>
    public AnswerRefusals Refusals { get; }

    /// <summary>The answer whose next block a peer asks for; null when it is gone.</summary>
    /// <param name="key">The request.</param>
    /// <param name="offset">Where the block begins.</param>
    /// <param name="length">How much of it is asked for.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public BodyTransfer? Find(BodyKey key, long offset, long length, long now)
    {
        if (!_transfers.TryGet(key, out BodyTransfer? transfer) && !_withoutPayload.TryGetValue(key, out transfer))
        {
            return null;
        }

        if (offset > transfer.Reached)
        {
            transfer.Reach(offset, length);
            _transfers.Touch(transfer, offset, now);
        }

        return transfer;
    }

    /// <summary>What a peer is fetching by a request; null for nothing.</summary>
    public BodyTransfer? FindTransfer(BodyKey key) => _transfers.TryGet(key, out BodyTransfer? transfer) ? transfer : null;

    /// <summary>Keeps the answer to a request for its later blocks, in the place of an older one.</summary>
    /// <param name="key">The request.</param>
    /// <param name="short">The request without its payload, where that is a part of the key; null otherwise. Some clients ask for later
    /// blocks of a FETCH that way; the ETag tells them when it is another one's answer.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="shared">The same for all peers, with the entity-tag.</param>
    /// <param name="result">Code, options of every block, the whole payload.</param>
    /// <param name="offset">The block that goes out now.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <returns>What there is too little room for it of; nothing was kept then.</returns>
    public BodyShortage Keep(BodyKey key, BodyKey? @short, CoapChannel channel, BodyKey shared, CoapResult result, long offset, long now)
    {
        Forget(key);
        if (!_bodies.TryGetValue(shared, out StoredBody? body) || !body.IsSame(result))
        {
            body = new StoredBody(shared, result);
        }

        // While room is made for it, it must not go with the last transfer that uses it.
        bool isNew = body.Users++ == 0;
        BodyTransfer transfer = new(key, channel) { Body = body, Short = @short };
        long own = BodyTransfer.Overhead + key.Size + (@short?.Size ?? 0);
        BodyShortage shortage = Add(transfer, own + body.Size, own + (isNew ? body.Size : 0), offset, now);
        if (shortage != BodyShortage.None)
        {
            Release(body, wasCharged: !isNew);
            return shortage;
        }

        transfer.Charge = own;
        if (isNew)
        {
            // One with the same tag and another content, which only a handler's mistake can bring about, stays for those who fetch it and
            // is shared no more.
            _bodies[shared] = body;
            body.Standing = transfer.Standing;
        }

        return shortage;
    }

    /// <summary>Keeps where the later blocks of an answer are read, in the place of an older one.</summary>
    /// <param name="key">The request.</param>
    /// <param name="short">See <see cref="Keep(BodyKey, BodyKey?, CoapChannel, BodyKey, CoapResult, long, long)"/>.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="body">The stream or file; closed when the transfer ends.</param>
    /// <param name="offset">The block that goes out now.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <returns>Whether there was room.</returns>
    public bool Keep(BodyKey key, BodyKey? @short, CoapChannel channel, SeekableBody body, long offset, long now)
    {
        Forget(key);
        BodyTransfer transfer = new(key, channel) { Seekable = body, Short = @short };
        long own = BodyTransfer.Overhead + key.Size + (@short?.Size ?? 0) + (body.IsOpen ? BodyTransfer.OpenStream : 0);
        if (Add(transfer, own, own, offset, now) != BodyShortage.None)
        {
            return false;
        }

        transfer.Charge = own;
        body.IsKept = true;
        return true;
    }

    /// <summary>The last block of a stream was given: it is closed when all of it was, and does not wait for copies of a request.</summary>
    public void End(BodyKey key, SeekableBody body)
    {
        if (body is { IsOpen: true, WasGiven: true }
            && (_transfers.TryGet(key, out BodyTransfer? transfer) || _withoutPayload.TryGetValue(key, out transfer))
            && ReferenceEquals(transfer.Seekable, body))
        {
            Remove(transfer);
        }
    }

    /// <summary>The request was made anew: what was kept for it is of no use any more.</summary>
    public void Forget(BodyKey key)
    {
        if (_transfers.TryGet(key, out BodyTransfer? transfer))
        {
            Remove(transfer);
        }
    }

    /// <summary>The peer was forgotten.</summary>
    public void Forget(CoapChannel channel) => _transfers.AllOf(channel).ForEach(Remove);

    /// <summary>Lets everything go.</summary>
    public void Clear() => _transfers.All().ForEach(Remove);

    void IBodyKeeper<BodyTransfer>.OnExpired(BodyTransfer entry) => Remove(entry);

    void IBodyKeeper<BodyTransfer>.OnCrowdedOut(BodyTransfer entry) => Evict(entry);

    private BodyShortage Add(BodyTransfer transfer, long share, long bytes, long offset, long now)
    {
        transfer.Reach(offset, 0);
        _transfers.Add(transfer, now);
        while (_transfers.TryCharge(transfer, share, bytes) is var shortage && shortage != BodyShortage.None)
        {
            // What is being fetched stays: whoever comes later waits for it, be it the same peer.
            BodyTransfer? own = _transfers.OldestOf(transfer.Channel, transfer);
            if ((own is not null && _transfers.Yields(own, now) ? own : _transfers.FindVictim(transfer, shortage, now)) is not { } victim)
            {
                _transfers.NoteRefusal(transfer, shortage, now);
                _transfers.Release(transfer);
                return shortage;
            }

            Evict(victim);
        }

        if (transfer.Short is { } known)
        {
            _withoutPayload[known] = transfer;
        }

        return BodyShortage.None;
    }

    private void Evict(BodyTransfer transfer)
    {
        _shard.Environment.Counters.Add(CoapCounter.RepresentationEvictions);
        Remove(transfer);
    }

    private void Remove(BodyTransfer transfer)
    {
        _transfers.Release(transfer);
        if (transfer.Short is { } known && _withoutPayload.TryGetValue(known, out BodyTransfer? last) && ReferenceEquals(last, transfer))
        {
            _withoutPayload.Remove(known);
        }

        if (transfer.Sending is { } sending)
        {
            sending.IsOver = true;
            _shard.Wheel.Cancel(sending);
        }

        if (transfer.Body is { } body)
        {
            Release(body, wasCharged: true);
        }
        else if (transfer.Seekable is { IsOpen: true } open)
        {
            _shard.AfterRelease(open);
        }
    }

    private void Release(StoredBody body, bool wasCharged)
    {
        if (--body.Users == 0 && wasCharged)
        {
            _transfers.Budget.GiveBack(body.Size, body.Standing);
            if (_bodies.TryGetValue(body.Key, out StoredBody? shared) && ReferenceEquals(shared, body))
            {
                _bodies.Remove(body.Key);
            }
        }
    }
}
