using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// The transfers of one kind in a shard, by key, within a <see cref="BlockwiseBudget"/>, with their ages and times. Guarded by Shard.Gate.
/// </summary>
internal abstract class TransferStore
{
    // Of so many that were idle longest the greediest is looked for. Those that make progress are behind them.
    private const int Looks = 64;

    private readonly Dictionary<TransferKey, StoredTransfer> _transfers = [];
    private readonly Dictionary<CoapChannel, Peer> _peers = [];

    // By part, so that many of one part do not hide those of another.
    private readonly LinkedList<StoredTransfer>[] _byAge = [new(), new(), new()];

    /// <param name="shard">For the lock and the clock.</param>
    /// <param name="budget">The bound.</param>
    protected TransferStore(CoapShard shard, BlockwiseBudget budget)
    {
        Shard = shard;
        Budget = budget;
    }

    public BlockwiseBudget Budget { get; }

    public int Count => _transfers.Count;

    protected CoapShard Shard { get; }

    public int CountOf(CoapChannel channel) => _peers.TryGetValue(channel, out Peer? peer) ? peer.Transfers.Count : 0;

    public bool TryGet(TransferKey key, [NotNullWhen(true)] out StoredTransfer? transfer) => _transfers.TryGetValue(key, out transfer);

    /// <summary>
    /// Whether a peer is gone for good, so that nothing may be kept for it: its connection has ended. One that was forgotten for lack of
    /// room may come back.
    /// </summary>
    public static bool HasEnded(CoapChannel channel) => channel is { IsConnection: true, IsForgotten: true };

    /// <summary>Adds a transfer that is charged with nothing yet. There is none of its key.</summary>
    public void Add(StoredTransfer transfer, long now)
    {
        if (!_peers.TryGetValue(transfer.Channel, out Peer? peer))
        {
            _peers.Add(transfer.Channel,
                peer = new Peer(Budget.Join(Shard.Environment.Sources.Of(transfer.Channel.Remote, transfer.Channel.PeerId))));
        }

        _transfers.Add(transfer.Key, transfer);
        transfer.Part = PartOf(transfer.Channel, Shard.Guard.IsTrusted(transfer.Channel, now));
        transfer.Account = transfer.Part == TransferBudgetTier.Newcomer ? Budget.Newcomers : peer.Account;
        transfer.PeerNode = peer.Transfers.AddLast(transfer);
        transfer.Node = AgesOf(transfer).AddLast(transfer);
        transfer.Store = this;
        transfer.LastUse = now;
        transfer.BeginPace(now);
        Schedule(transfer, now);
    }

    /// <summary>The transfer was used: it is the youngest now and kept for its whole time again.</summary>
    /// <param name="transfer">The transfer.</param>
    /// <param name="position">The progress of its peer, in bytes.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public void Touch(StoredTransfer transfer, long position, long now)
    {
        transfer.LastUse = now;
        transfer.NotePace(position, now);
        LinkedList<StoredTransfer> peer = transfer.PeerNode!.List!;
        AgesOf(transfer).Remove(transfer.Node!);
        peer.Remove(transfer.PeerNode);
        Promote(transfer, PartOf(transfer.Channel, transfer.Channel.IsVerified));
        LinkedList<StoredTransfer> ages = AgesOf(transfer);
        if (transfer.IsDone)
        {
            ages.AddFirst(transfer.Node!);
            peer.AddFirst(transfer.PeerNode);
        }
        else
        {
            ages.AddLast(transfer.Node!);
            peer.AddLast(transfer.PeerNode);
        }

        Schedule(transfer, now);
    }

    /// <summary>Takes room for a transfer.</summary>
    /// <param name="transfer">The transfer.</param>
    /// <param name="share">The amount from the share of its source.</param>
    /// <param name="bytes">The amount from the whole.</param>
    /// <returns>The shortage; nothing was taken then.</returns>
    public BudgetShortage TryCharge(StoredTransfer transfer, long share, long bytes)
    {
        BudgetShortage shortage = Budget.TryTake(transfer.Account, transfer.Part, share, bytes);
        if (shortage == BudgetShortage.None)
        {
            transfer.ShareCharge += share;
            transfer.Charge += bytes;
        }

        return shortage;
    }

    /// <summary>Gives back some of the share of its source, and of the whole.</summary>
    public void Discharge(StoredTransfer transfer, long share, long bytes)
    {
        transfer.ShareCharge -= share;
        transfer.Account.Add(-share);
        transfer.Charge -= bytes;
        Budget.GiveBack(bytes, transfer.Part);
    }

    /// <summary>
    /// Takes a transfer out so that its key is free, while its memory is still in use and counted until <see cref="Release"/>, or its time.
    /// </summary>
    public void Detach(StoredTransfer transfer)
    {
        if (transfer.Node is null)
        {
            return;
        }

        _transfers.Remove(transfer.Key);
        AgesOf(transfer).Remove(transfer.Node);
        transfer.Node = null;
        Peer peer = _peers[transfer.Channel];
        peer.Transfers.Remove(transfer.PeerNode!);
        transfer.PeerNode = null;
        peer.Detached++;
    }

    /// <summary>Undoes <see cref="Detach"/>, if nothing has taken the place meanwhile.</summary>
    public bool TryReattach(StoredTransfer transfer, long now)
    {
        if (transfer.Store is null || transfer.Node is not null || !_transfers.TryAdd(transfer.Key, transfer))
        {
            return false;
        }

        Peer peer = _peers[transfer.Channel];
        peer.Detached--;
        transfer.PeerNode = peer.Transfers.AddLast(transfer);
        transfer.Node = AgesOf(transfer).AddLast(transfer);
        transfer.LastUse = now;
        Schedule(transfer, now);
        return true;
    }

    /// <summary>Takes a transfer out and gives back what it was charged with. Does nothing the second time.</summary>
    public void Release(StoredTransfer transfer)
    {
        if (transfer.Store is null)
        {
            return;
        }

        transfer.Store = null;
        Shard.Wheel.Cancel(transfer);
        Detach(transfer);
        Discharge(transfer, transfer.ShareCharge, transfer.Charge);
        Peer peer = _peers[transfer.Channel];
        if (--peer.Detached == 0 && peer.Transfers.Count == 0)
        {
            _peers.Remove(transfer.Channel);
            Budget.Leave(peer.Account);
        }
    }

    /// <summary>A transfer was not used for a time, so it is looked at. From the wheel.</summary>
    public void OnIdle(StoredTransfer transfer, long now)
    {
        if (now - transfer.LastUse >= transfer.IdleTime)
        {
            OnExpired(transfer);
        }
        else if (transfer.Node is not null && IsShort(transfer, now) && Yields(transfer, now))
        {
            Evict(transfer);
        }
        else
        {
            Schedule(transfer, now);
        }
    }

    /// <summary>A transfer was idle too long. It is still in the store.</summary>
    protected abstract void OnExpired(StoredTransfer transfer);

    /// <summary>
    /// A transfer goes for others. It is still in the store. It made no progress while they were refused, perhaps in other shards, or gives
    /// way to one of the same peer.
    /// </summary>
    protected abstract void Evict(StoredTransfer transfer);

    protected List<StoredTransfer> AllOf(CoapChannel channel) =>
        _peers.TryGetValue(channel, out Peer? peer) ? [.. peer.Transfers] : [];

    protected List<StoredTransfer> All() => [.. _transfers.Values];

    /// <summary>Takes room for a transfer, and evicts others for that.</summary>
    /// <param name="transfer">The transfer.</param>
    /// <param name="share">The amount from the share of its source.</param>
    /// <param name="bytes">The amount from the whole.</param>
    /// <param name="replacesRunning">Whether the oldest transfer of the same peer is evicted although it makes progress.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <returns>The shortage, which was noted as a refusal; nothing was taken then.</returns>
    protected BudgetShortage ChargeByEvicting(StoredTransfer transfer, long share, long bytes, bool replacesRunning, long now)
    {
        while (TryCharge(transfer, share, bytes) is var shortage && shortage != BudgetShortage.None)
        {
            StoredTransfer? own = OldestOf(transfer.Channel, transfer);
            if ((own is not null && (replacesRunning || Yields(own, now)) ? own : FindVictim(transfer, shortage, now)) is not { } victim)
            {
                NoteRefusal(transfer, shortage, now);
                return shortage;
            }

            Evict(victim);
        }

        return BudgetShortage.None;
    }

    // The transfer of a peer that was idle longest, but for one.
    private StoredTransfer? OldestOf(CoapChannel channel, StoredTransfer except)
    {
        LinkedListNode<StoredTransfer>? first = _peers.TryGetValue(channel, out Peer? peer) ? peer.Transfers.First : null;
        return (ReferenceEquals(first?.Value, except) ? first?.Next : first)?.Value;
    }

    // The transfer of another peer to evict: among the completed ones, and those of peers without progress, that of the source that holds
    // the most. For a share or a part, only transfers of it help. Newcomers only replace newcomers.
    private StoredTransfer? FindVictim(StoredTransfer transfer, BudgetShortage shortage, long now)
    {
        StoredTransfer? victim = null;
        for (TransferBudgetTier part = TransferBudgetTier.Newcomer; part <= TransferBudgetTier.Known; part++)
        {
            LinkedListNode<StoredTransfer>? node = Helps(part, transfer, shortage) ? _byAge[(int)part].First : null;
            for (int i = 0; i < Looks && node is not null; i++, node = node.Next)
            {
                StoredTransfer other = node.Value;
                if (other != transfer && (shortage != BudgetShortage.Share || ReferenceEquals(other.Account, transfer.Account))
                    && (victim is null || other.Account.Bytes > victim.Account.Bytes) && Yields(other, now))
                {
                    victim = other;
                }
            }
        }

        return victim;
    }

    // For a while those that a refused transfer competes with, perhaps in other shards, have to make progress.
    private void NoteRefusal(StoredTransfer transfer, BudgetShortage shortage, long now)
    {
        BudgetAccount who = transfer.Part == TransferBudgetTier.Newcomer ? Budget.Newcomers
            : shortage == BudgetShortage.All ? Budget.Everybody
            : shortage == BudgetShortage.Unverified ? Budget.Unverified
            : transfer.Account;
        who.NoteRefusal(now);
    }

    // Whether a transfer may be evicted for others: its peer has completed it, or is far too slow, or sends no more copies of a lost block.
    // For an unverified address, which may be forged, it waits for only half of these copies: otherwise few datagrams from many addresses
    // would take the room for as long as bodies are kept.
    private bool Yields(StoredTransfer transfer, long now) =>
        transfer.IsDone
            || (!transfer.WaitsForServer && (transfer.IsSlow || now - transfer.LastUse >= TimeoutOf(transfer, now)));

    private static bool Helps(TransferBudgetTier part, StoredTransfer transfer, BudgetShortage shortage) => shortage switch
    {
        _ when transfer.Part == TransferBudgetTier.Newcomer => part == TransferBudgetTier.Newcomer,
        BudgetShortage.Unverified => part == TransferBudgetTier.Unverified,
        BudgetShortage.Share => part != TransferBudgetTier.Newcomer,
        _ => true,
    };

    // A second datagram does not prove an address: those that came back have a part of their own as well.
    private static TransferBudgetTier PartOf(CoapChannel channel, bool isTrusted) =>
        isTrusted ? TransferBudgetTier.Known
        : channel.IsNewcomer ? TransferBudgetTier.Newcomer
        : TransferBudgetTier.Unverified;

    private LinkedList<StoredTransfer> AgesOf(StoredTransfer transfer) => _byAge[(int)transfer.Part];

    // A peer that returned or was verified meanwhile takes from another part from then on. No peer falls back.
    private void Promote(StoredTransfer transfer, TransferBudgetTier part)
    {
        if (part <= transfer.Part)
        {
            return;
        }

        Budget.Move(transfer.Charge, transfer.Part, part);
        transfer.Part = part;
        transfer.Account.Add(-transfer.ShareCharge);
        transfer.Account = _peers[transfer.Channel].Account;
        transfer.Account.Add(transfer.ShareCharge);
    }

    private bool IsShort(StoredTransfer transfer, long now) =>
        transfer.Account.IsShort(now) || (transfer.Part == TransferBudgetTier.Unverified && Budget.Unverified.IsShort(now))
            || Budget.Everybody.IsShort(now);

    private long TimeoutOf(StoredTransfer transfer, long now) =>
        Shard.Guard.IsTrusted(transfer.Channel, now) ? transfer.Timeout : transfer.ShortTimeout;

    private void Schedule(StoredTransfer transfer, long now) =>
        Shard.Wheel.Schedule(transfer, Math.Min(now + TimeoutOf(transfer, now), transfer.LastUse + transfer.IdleTime));

    private sealed class Peer(BudgetAccount account)
    {
        public LinkedList<StoredTransfer> Transfers { get; } = new();

        /// <summary>Of whose share its transfers take, but for those that it began as a newcomer.</summary>
        public BudgetAccount Account => account;

        /// <summary>Transfers that are out of the store and still charged.</summary>
        public int Detached { get; set; }
    }
}
