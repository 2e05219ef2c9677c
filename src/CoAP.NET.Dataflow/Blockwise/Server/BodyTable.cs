using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Blockwise;

/// <summary>The entries of one kind in a shard, by key, with their bounds, ages and times. Guarded by Shard.Gate.</summary>
/// <typeparam name="TEntry">The kind.</typeparam>
internal sealed class BodyTable<TEntry> : BodyRoom
    where TEntry : BodyEntry
{
    // Of so many that were idle longest the greediest is looked for. Those that make progress are behind them.
    private const int Looks = 64;

    private readonly CoapShard _shard;
    private readonly IBodyKeeper<TEntry> _keeper;
    private readonly Dictionary<BodyKey, TEntry> _entries = [];
    private readonly Dictionary<CoapChannel, Peer> _peers = [];

    // By standing, so that many of one part do not hide those of another.
    private readonly LinkedList<BodyEntry>[] _byAge = [new(), new(), new()];

    /// <param name="shard">For the lock and the clock.</param>
    /// <param name="budget">The bound.</param>
    /// <param name="keeper">Decides what becomes of what is not kept.</param>
    public BodyTable(CoapShard shard, BodyBudget budget, IBodyKeeper<TEntry> keeper)
    {
        _shard = shard;
        Budget = budget;
        _keeper = keeper;
    }

    public BodyBudget Budget { get; }

    public int Count => _entries.Count;

    public bool TryGet(BodyKey key, [NotNullWhen(true)] out TEntry? entry) => _entries.TryGetValue(key, out entry);

    /// <summary>The entry of a peer that was idle longest, but for one.</summary>
    public TEntry? OldestOf(CoapChannel channel, TEntry? except)
    {
        if (!_peers.TryGetValue(channel, out Peer? peer))
        {
            return null;
        }

        LinkedListNode<BodyEntry>? first = peer.Entries.First;
        return (TEntry?)(ReferenceEquals(first?.Value, except) ? first?.Next : first)?.Value;
    }

    /// <summary>
    /// Which entry of others goes so that there is room for one: of those that are done, or whose peers made no progress, that of the
    /// source which holds most.
    /// </summary>
    /// <param name="entry">What room is wanted for.</param>
    /// <param name="shortage">Of what too little is left. Where it is the share or a part, only those of it help. Newcomers replace
    /// newcomers only.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public TEntry? FindVictim(TEntry entry, BodyShortage shortage, long now)
    {
        TEntry? victim = null;
        for (BodyStanding standing = BodyStanding.Newcomer; standing <= BodyStanding.Known; standing++)
        {
            LinkedListNode<BodyEntry>? node = Helps(standing, entry, shortage) ? _byAge[(int)standing].First : null;
            for (int i = 0; i < Looks && node is not null; i++, node = node.Next)
            {
                TEntry other = (TEntry)node.Value;
                if (other != entry && (shortage != BodyShortage.Share || ReferenceEquals(other.Source, entry.Source))
                    && (victim is null || other.Source.Bytes > victim.Source.Bytes) && Yields(other, now))
                {
                    victim = other;
                }
            }
        }

        return victim;
    }

    /// <summary>An entry was refused: for a while those it competes with, perhaps in other shards, have to make progress.</summary>
    /// <param name="entry">The entry.</param>
    /// <param name="shortage">Of what too little was left.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public void NoteRefusal(TEntry entry, BodyShortage shortage, long now)
    {
        BodySource who = entry.Standing == BodyStanding.Newcomer ? Budget.Newcomers
            : shortage == BodyShortage.All ? Budget.Everybody
            : shortage == BodyShortage.Unverified ? Budget.Unverified
            : entry.Source;
        who.NoteRefusal(now);
    }

    public List<TEntry> AllOf(CoapChannel channel) =>
        _peers.TryGetValue(channel, out Peer? peer) ? [.. peer.Entries.Cast<TEntry>()] : [];

    public int CountOf(CoapChannel channel) => _peers.TryGetValue(channel, out Peer? peer) ? peer.Entries.Count : 0;

    public List<TEntry> All() => [.. _entries.Values];

    /// <summary>Adds an entry that is charged with nothing yet. There is none of its key.</summary>
    public void Add(TEntry entry, long now)
    {
        if (!_peers.TryGetValue(entry.Channel, out Peer? peer))
        {
            _peers.Add(entry.Channel,
                peer = new Peer(Budget.Join(_shard.Environment.Sources.Of(entry.Channel.Remote, entry.Channel.Identity))));
        }

        _entries.Add(entry.Key, entry);
        entry.Standing = StandingOf(entry.Channel, _shard.Guard.IsTrusted(entry.Channel, now));
        entry.Source = entry.Standing == BodyStanding.Newcomer ? Budget.Newcomers : peer.Source;
        entry.PeerPlace = peer.Entries.AddLast(entry);
        entry.Place = AgesOf(entry).AddLast(entry);
        entry.Room = this;
        entry.LastUse = now;
        entry.BeginPace(now);
        Schedule(entry, now);
    }

    /// <summary>The entry was used: it is the youngest now and kept for its whole time again.</summary>
    /// <param name="entry">The entry.</param>
    /// <param name="position">How far its peer got, in bytes.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public void Touch(TEntry entry, long position, long now)
    {
        entry.LastUse = now;
        entry.NotePace(position, now);
        LinkedList<BodyEntry> peer = entry.PeerPlace!.List!;
        AgesOf(entry).Remove(entry.Place!);
        peer.Remove(entry.PeerPlace);
        Promote(entry, StandingOf(entry.Channel, entry.Channel.IsVerified));
        LinkedList<BodyEntry> ages = AgesOf(entry);
        if (entry.IsDone)
        {
            ages.AddFirst(entry.Place!);
            peer.AddFirst(entry.PeerPlace);
        }
        else
        {
            ages.AddLast(entry.Place!);
            peer.AddLast(entry.PeerPlace);
        }

        Schedule(entry, now);
    }

    /// <summary>Takes room for an entry.</summary>
    /// <param name="entry">The entry.</param>
    /// <param name="share">How much of the share of its source.</param>
    /// <param name="bytes">How much of the whole.</param>
    /// <returns>What is missing; then nothing was taken.</returns>
    public BodyShortage TryCharge(TEntry entry, long share, long bytes)
    {
        BodyShortage shortage = Budget.TryTake(entry.Source, entry.Standing, share, bytes);
        if (shortage == BodyShortage.None)
        {
            entry.PeerCharge += share;
        }

        return shortage;
    }

    /// <summary>Gives some of the share of its source back.</summary>
    public static void DischargePeer(TEntry entry, long bytes)
    {
        entry.PeerCharge -= bytes;
        entry.Source.Add(-bytes);
    }

    /// <summary>
    /// Takes an entry out so that its key is free, while its memory is still in use and counted until <see cref="Release"/>, or its time.
    /// </summary>
    public void Detach(TEntry entry)
    {
        if (entry.Place is null)
        {
            return;
        }

        _entries.Remove(entry.Key);
        AgesOf(entry).Remove(entry.Place);
        entry.Place = null;
        Peer peer = _peers[entry.Channel];
        peer.Entries.Remove(entry.PeerPlace!);
        entry.PeerPlace = null;
        peer.Detached++;
    }

    /// <summary>Undoes <see cref="Detach"/>, if nothing has taken the place meanwhile.</summary>
    public bool TryReattach(TEntry entry, long now)
    {
        if (entry.Room is null || entry.Place is not null || !_entries.TryAdd(entry.Key, entry))
        {
            return false;
        }

        Peer peer = _peers[entry.Channel];
        peer.Detached--;
        entry.PeerPlace = peer.Entries.AddLast(entry);
        entry.Place = AgesOf(entry).AddLast(entry);
        entry.LastUse = now;
        Schedule(entry, now);
        return true;
    }

    /// <summary>Takes an entry out and gives back what it was charged with. Does nothing the second time.</summary>
    public void Release(TEntry entry)
    {
        if (entry.Room is null)
        {
            return;
        }

        entry.Room = null;
        _shard.Wheel.Cancel(entry);
        Detach(entry);
        DischargePeer(entry, entry.PeerCharge);
        Budget.GiveBack(entry.Charge, entry.Standing);
        entry.Charge = 0;
        Peer peer = _peers[entry.Channel];
        if (--peer.Detached == 0 && peer.Entries.Count == 0)
        {
            _peers.Remove(entry.Channel);
            Budget.Leave(peer.Source);
        }
    }

    /// <summary>
    /// Whether an entry may go for those of others when room is wanted: its peer is through with it, or is far too slow, or sends no more
    /// copies of a block that was lost. Of an address that was never verified, which may be forged, half of them are waited for: otherwise
    /// few datagrams from many addresses would take the room for as long as bodies are kept.
    /// </summary>
    public bool Yields(TEntry entry, long now) =>
        entry.IsDone || (!entry.WaitsForUs && (entry.IsSlow || now - entry.LastUse >= PatienceWith(entry, now)));

    /// <inheritdoc/>
    public override void OnIdle(BodyEntry entry, long now) => Look((TEntry)entry, now);

    private static bool Helps(BodyStanding standing, TEntry entry, BodyShortage shortage) => shortage switch
    {
        _ when entry.Standing == BodyStanding.Newcomer => standing == BodyStanding.Newcomer,
        BodyShortage.Unverified => standing == BodyStanding.Unverified,
        BodyShortage.Share => standing != BodyStanding.Newcomer,
        _ => true,
    };

    // A second datagram is no proof of an address: those that came back have a part of their own as well.
    private static BodyStanding StandingOf(CoapChannel channel, bool isTrusted) =>
        isTrusted ? BodyStanding.Known
        : channel.IsNewcomer ? BodyStanding.Newcomer
        : BodyStanding.Unverified;

    private LinkedList<BodyEntry> AgesOf(TEntry entry) => _byAge[(int)entry.Standing];

    // Whoever came back or was verified meanwhile takes of another part from then on. Nobody falls back.
    private void Promote(TEntry entry, BodyStanding standing)
    {
        if (standing <= entry.Standing)
        {
            return;
        }

        Budget.Move(entry.Charge, entry.Standing, standing);
        entry.Standing = standing;
        entry.Source.Add(-entry.PeerCharge);
        entry.Source = _peers[entry.Channel].Source;
        entry.Source.Add(entry.PeerCharge);
    }

    private bool IsShort(TEntry entry, long now) =>
        entry.Source.IsShort(now) || (entry.Standing == BodyStanding.Unverified && Budget.Unverified.IsShort(now))
            || Budget.Everybody.IsShort(now);

    private long PatienceWith(TEntry entry, long now) => _shard.Guard.IsTrusted(entry.Channel, now) ? entry.Patience : entry.ShortPatience;

    private void Schedule(TEntry entry, long now) =>
        _shard.Wheel.Schedule(entry, Math.Min(now + PatienceWith(entry, now), entry.LastUse + entry.IdleTime));

    private void Look(TEntry entry, long now)
    {
        if (now - entry.LastUse >= entry.IdleTime)
        {
            _keeper.OnExpired(entry);
        }
        else if (entry.Place is not null && IsShort(entry, now) && Yields(entry, now))
        {
            _keeper.OnCrowdedOut(entry);
        }
        else
        {
            Schedule(entry, now);
        }
    }

    private sealed class Peer(BodySource source)
    {
        public LinkedList<BodyEntry> Entries { get; } = new();

        /// <summary>Of whose share its entries take, but for those that it began as a newcomer.</summary>
        public BodySource Source => source;

        /// <summary>Entries that are out of the table and still charged.</summary>
        public int Detached { get; set; }
    }
}
