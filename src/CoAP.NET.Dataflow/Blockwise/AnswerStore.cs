using CoAP.NET.Channels;

namespace CoAP.NET.Blockwise;

/// <summary>The answers of one shard that peers fetch block by block (RFC 7959 sections 2.4 and 2.7), within a bound. Guarded by Shard.Gate.</summary>
internal sealed class AnswerStore
{
    private readonly CoapShard _shard;
    private readonly BodyTable<BodyTransfer> _transfers;
    private readonly Dictionary<BodyKey, StoredBody> _bodies = [];
    private readonly Dictionary<BodyKey, BodyTransfer> _withoutPayload = [];

    public AnswerStore(CoapShard shard, BodyBudget budget)
    {
        _shard = shard;
        _transfers = new BodyTable<BodyTransfer>(shard, budget, Remove);
    }

    public int Transfers => _transfers.Count;

    public int Bodies => _bodies.Count;

    /// <summary>The answer whose next block a peer asks for; null when it is gone.</summary>
    public CoapResult? Find(BodyKey key, long offset, long now)
    {
        if (!_transfers.TryGet(key, out BodyTransfer? transfer) && !_withoutPayload.TryGetValue(key, out transfer))
        {
            return null;
        }

        if (offset > transfer.Reached)
        {
            transfer.Reached = offset;
            _transfers.Touch(transfer, now);
        }

        return transfer.Body.Result;
    }

    /// <summary>What a peer is fetching by a request; null for nothing.</summary>
    public BodyTransfer? FindTransfer(BodyKey key) => _transfers.TryGet(key, out BodyTransfer? transfer) ? transfer : null;

    /// <summary>Keeps the answer to a request for its later blocks, in the place of an older one.</summary>
    /// <param name="key">The request.</param>
    /// <param name="short">The request without its payload, where that is a part of the key; null otherwise. Some clients ask for later blocks of a FETCH that way; the ETag tells them when it is another one's answer.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="shared">The same for all peers, with the entity-tag.</param>
    /// <param name="result">Code, options of every block, the whole payload.</param>
    /// <param name="offset">The block that goes out now.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <returns>Whether there was room.</returns>
    public bool Keep(BodyKey key, BodyKey? @short, CoapChannel channel, BodyKey shared, CoapResult result, long offset, long now)
    {
        Forget(key);
        if (!_bodies.TryGetValue(shared, out StoredBody? body) || !body.IsSame(result))
        {
            body = new StoredBody(shared, result);
        }

        BodyTransfer transfer = new(key, channel, body) { Reached = offset, Short = @short };
        _transfers.Add(transfer, now);
        long own = BodyTransfer.Overhead + key.Size + (@short?.Size ?? 0);
        while (!_transfers.TryChargePeer(transfer, own + body.Size))
        {
            if (_transfers.OldestOf(channel, transfer) is not { } oldest)
            {
                _transfers.Release(transfer);
                return false;
            }

            Evict(oldest);
        }

        while (!_transfers.Budget.TryTake(own + (body.Users == 0 ? body.Size : 0)))
        {
            if (_transfers.Oldest is not { } oldest || oldest == transfer)
            {
                _transfers.Release(transfer);
                return false;
            }

            Evict(oldest);
        }

        transfer.Charge = own;
        if (@short is not null)
        {
            _withoutPayload[@short] = transfer;
        }

        if (body.Users++ == 0)
        {
            // One with the same tag and another content, which only a handler's mistake can bring about, stays for those who fetch it and is shared no more.
            _bodies[shared] = body;
        }

        return true;
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

        StoredBody body = transfer.Body;
        if (--body.Users == 0)
        {
            _transfers.Budget.GiveBack(body.Size);
            if (_bodies.TryGetValue(body.Key, out StoredBody? shared) && ReferenceEquals(shared, body))
            {
                _bodies.Remove(body.Key);
            }
        }
    }
}
