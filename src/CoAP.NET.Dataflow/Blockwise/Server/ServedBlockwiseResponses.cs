using System.Globalization;
using CoAP.NET.Requests;

namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// The responses of one shard that peers fetch block by block (RFC 7959 sections 2.4 and 2.7), within a bound. Tracks those that found no
/// room too: they are not sent, because a handler would run again for each of their blocks, and for a while requests for later blocks are
/// refused before the handler runs. Guarded by Shard.Gate, except for the logging.
/// </summary>
internal sealed class ServedBlockwiseResponses : TransferStore
{
    private const int RememberedRefusals = 64;

    private readonly Dictionary<TransferKey, SharedBlockwiseResponse> _shared = [];
    private readonly Dictionary<TransferKey, ResponseTransfer> _withoutPayload = [];
    private readonly CoapEnvironment _environment;
    private readonly RateLimitedLog _refused;
    private readonly RateLimitedLog _neverFits;
    private readonly RateLimitedLog _notKept;
    private readonly (TransferKey? Key, long Until, CoapResult? Answer)[] _refusals =
        new (TransferKey?, long, CoapResult?)[RememberedRefusals];
    private int _nextRefusal;

    public ServedBlockwiseResponses(CoapShard shard, BlockwiseBudget budget)
        : base(shard, budget)
    {
        _environment = shard.Environment;
        _refused = new RateLimitedLog(_environment.TimeProvider);
        _neverFits = new RateLimitedLog(_environment.TimeProvider);
        _notKept = new RateLimitedLog(_environment.TimeProvider);
    }

    /// <summary>How many responses are in memory, each once for all who fetch it.</summary>
    public int SharedCount => _shared.Count;

    /// <summary>The answer whose next block a peer asks for; null when it is gone.</summary>
    /// <param name="key">The request.</param>
    /// <param name="offset">Where the block begins.</param>
    /// <param name="length">How much of it is asked for.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public ResponseTransfer? Find(TransferKey key, long offset, long length, long now)
    {
        if ((FindTransfer(key) ?? _withoutPayload.GetValueOrDefault(key)) is not { } transfer)
        {
            return null;
        }

        if (offset > transfer.Reached)
        {
            transfer.Reach(offset, length);
            Touch(transfer, offset, now);
        }

        return transfer;
    }

    /// <summary>Returns the running transfer of a request; null for none.</summary>
    public ResponseTransfer? FindTransfer(TransferKey key) =>
        TryGet(key, out StoredTransfer? transfer) ? (ResponseTransfer)transfer : null;

    /// <summary>Returns the refusal of a later block whose response recently found no room; null for any other.</summary>
    public CoapResult? FindRefusal(TransferKey key, CoapChannel channel, long now)
    {
        foreach ((TransferKey? known, long until, CoapResult? answer) in _refusals)
        {
            if (now < until && key.Equals(known))
            {
                // A client that has verified its address since then may find room.
                return answer!.AsksForEcho && Shard.Guard.IsTrusted(channel, now) ? null : answer;
            }
        }

        return null;
    }

    /// <summary>Stores the response to a request for its later blocks, and replaces an older one.</summary>
    /// <param name="key">The request.</param>
    /// <param name="short">The request without its payload, if that is a part of the key; null otherwise. Some clients request later blocks
    /// of a FETCH that way; the ETag shows if it belongs to another response.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="shared">The key for all peers, with the entity-tag.</param>
    /// <param name="result">Code, options of every block, the whole payload.</param>
    /// <param name="offset">The block that is sent now.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <returns>The shortage if there is too little room; nothing was stored then.</returns>
    public BudgetShortage Store(
        TransferKey key, TransferKey? @short, CoapChannel channel, TransferKey shared, CoapResult result, long offset, long now)
    {
        Forget(key);
        if (!_shared.TryGetValue(shared, out SharedBlockwiseResponse? response) || !response.IsSame(result))
        {
            response = new SharedBlockwiseResponse(shared, result);
        }

        // While room is made for it, it must not go with the last transfer that uses it.
        bool isNew = response.Users++ == 0;
        ResponseTransfer transfer = new(key, channel) { Response = response, Short = @short };
        long own = ResponseTransfer.Overhead + key.Size + (@short?.Size ?? 0);
        BudgetShortage shortage = Add(transfer, own + response.Size, own + (isNew ? response.Size : 0), offset, now);
        if (shortage != BudgetShortage.None)
        {
            Release(response, wasCharged: !isNew);
            return shortage;
        }

        if (isNew)
        {
            // One with the same tag and another content, which only a handler's mistake can bring about, stays for those who fetch it and
            // is shared no more.
            transfer.Charge = own;
            _shared[shared] = response;
            response.Part = transfer.Part;
        }

        return shortage;
    }

    /// <summary>Keeps where the later blocks of an answer are read, in the place of an older one, if there is room.</summary>
    /// <param name="key">The request.</param>
    /// <param name="short">See <see cref="Store(TransferKey, TransferKey?, CoapChannel, TransferKey, CoapResult, long, long)"/>.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="body">The stream or file; closed when the transfer ends.</param>
    /// <param name="offset">The block that goes out now.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public void Store(TransferKey key, TransferKey? @short, CoapChannel channel, ServedResponseBody body, long offset, long now)
    {
        Forget(key);
        ResponseTransfer transfer = new(key, channel) { Seekable = body, Short = @short };
        long own = ResponseTransfer.Overhead + key.Size + (@short?.Size ?? 0) + (body.IsOpen ? Budget.OpenStream : 0);
        body.IsStored |= Add(transfer, own, own, offset, now) == BudgetShortage.None;
    }

    /// <summary>The last block of a stream was given: it is closed when all of it was, and does not wait for copies of a request.</summary>
    public void End(TransferKey key, ServedResponseBody body)
    {
        if (body is { IsOpen: true, WasGiven: true }
            && (FindTransfer(key) ?? _withoutPayload.GetValueOrDefault(key)) is { } transfer && ReferenceEquals(transfer.Seekable, body))
        {
            Remove(transfer);
        }
    }

    public void Forget(CoapChannel channel) => AllOf(channel).ForEach(Remove);

    /// <summary>Lets everything go.</summary>
    public void Clear() => All().ForEach(Remove);

    /// <summary>Creates the answer that goes out in place of one for which there is no room.</summary>
    /// <param name="key">The request, which is safe.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="size">The size of the answer in bytes.</param>
    /// <param name="isPooled">Whether the peer takes of what those share whose addresses were never verified.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public CoapResult Refuse(TransferKey key, CoapChannel channel, long size, bool isPooled, long now)
    {
        _environment.Counters.Add(CoapCounter.RepresentationsRefused);
        channel.NoteDrop(CoapCounter.RepresentationsRefused);

        // A client that proves that it receives at its address has its own share.
        TimeSpan wait = TimeSpan.FromSeconds(_environment.Limits.Requests.BusyMaxAge);
        CoapResult answer = isPooled ? CoapResults.FreshnessRequired()
            : NeverFits(size) ? new CoapResult(CoapCode.InternalServerError)
            : CoapResults.ServiceUnavailable(wait);
        _refusals[_nextRefusal] = (key, now + wait.Ticks, answer);
        _nextRefusal = (_nextRefusal + 1) % RememberedRefusals;
        return answer;
    }

    /// <summary>Logs a refusal, once in a while. No lock may be held.</summary>
    public void LogRefusal(CoapExchange exchange, BudgetShortage shortage, long size, bool isPooled)
    {
        if (!isPooled && NeverFits(size))
        {
            if (_neverFits.IsDue())
            {
                BlockwiseLog.AnswerNeverFits(_environment.Logger, exchange.Request.Path, size, BoundOf(BudgetShortage.Share));
            }
        }
        else if (_refused.IsDue())
        {
            string code = isPooled ? "4.01 with an Echo" : "5.03";
            BlockwiseLog.AnswerRefused(_environment.Logger, exchange.Request.Path, size, exchange.Channel, code, BoundOf(shortage));
        }
    }

    /// <summary>Logs that the later blocks of an answer will not be had, as its request may not be carried out again.</summary>
    public void LogNotStored(CoapExchange exchange, BudgetShortage shortage, long size)
    {
        if (_notKept.IsDue())
        {
            BlockwiseLog.ResponseNotStored(_environment.Logger, exchange.Request.Path, size, BoundOf(shortage));
        }
    }

    protected override void OnExpired(StoredTransfer transfer) => Remove(transfer);

    protected override void Evict(StoredTransfer transfer)
    {
        _environment.Counters.Add(CoapCounter.RepresentationEvictions);
        Remove(transfer);
    }

    private BudgetShortage Add(ResponseTransfer transfer, long share, long bytes, long offset, long now)
    {
        transfer.Reach(offset, 0);
        Add(transfer, now);

        // Running transfers stay: a later request waits, even one of the same peer.
        BudgetShortage shortage = ChargeByEvicting(transfer, share, bytes, replacesRunning: false, now);
        if (shortage != BudgetShortage.None)
        {
            Release(transfer);
        }
        else if (transfer.Short is { } known)
        {
            _withoutPayload[known] = transfer;
        }

        return shortage;
    }

    // The request was sent again.
    private void Forget(TransferKey key)
    {
        if (FindTransfer(key) is { } transfer)
        {
            Remove(transfer);
        }
    }

    private void Remove(StoredTransfer stored)
    {
        ResponseTransfer transfer = (ResponseTransfer)stored;
        Release(transfer);
        if (transfer.Short is { } known && ReferenceEquals(_withoutPayload.GetValueOrDefault(known), transfer))
        {
            _withoutPayload.Remove(known);
        }

        if (transfer.Sending is { } sending)
        {
            sending.IsOver = true;
            Shard.Wheel.Cancel(sending);
        }

        if (transfer.Response is { } response)
        {
            Release(response, wasCharged: true);
        }
        else if (transfer.Seekable is { IsOpen: true } open)
        {
            Shard.AfterRelease(open);
        }
    }

    private void Release(SharedBlockwiseResponse response, bool wasCharged)
    {
        if (--response.Users == 0 && wasCharged)
        {
            Budget.GiveBack(response.Size, response.Part);
            if (ReferenceEquals(_shared.GetValueOrDefault(response.Key), response))
            {
                _shared.Remove(response.Key);
            }
        }
    }

    private bool NeverFits(long size) => size + ResponseTransfer.Overhead > Budget.PeerMax;

    private string BoundOf(BudgetShortage shortage) => shortage switch
    {
        BudgetShortage.All =>
            Text($"{Budget.Max} bytes for all peers together (CoapLimits.Blockwise.ResponseMemory), of which one source takes less the less is free"),
        BudgetShortage.Newcomers =>
            Text($"{Budget.NewcomerMax} bytes for all newcomers together whose addresses were never verified (a quarter of CoapLimits.Peers.NewcomerMemory)"),
        BudgetShortage.Unverified =>
            Text($"{Budget.PeerMax} bytes for all peers together whose addresses were never verified (MaxSourceFraction of ResponseMemory in CoapLimits.Blockwise), of which one source takes less the less is free"),
        _ => Text($"{Budget.PeerMax} bytes for one source (MaxSourceFraction of ResponseMemory in CoapLimits.Blockwise)"),
    };

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
