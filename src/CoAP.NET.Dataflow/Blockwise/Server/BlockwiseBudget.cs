using System.Runtime.InteropServices;

namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// A bound in bytes that all shards of an endpoint share, with a share for each source. <see cref="FairShare"/> is the rule. Thread-safe;
/// a transfer takes no lock to add to its account, which is why this is not a <see cref="SourceLedger{TSource}"/>.
/// </summary>
internal sealed class BlockwiseBudget
{
    // The cost of an open stream, unless so many would not fit a small bound.
    private const long LargestOpenStream = 64 * 1024;
    private const int FewestStreams = 64;

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapQuotaSource, BudgetAccount> _accounts = [];
    private readonly bool _isOpen;
    private long _used;

    /// <param name="max">How much all peers may take, in bytes.</param>
    /// <param name="share">Which part of it one source may take; with 1 it may take everything.</param>
    /// <param name="newcomerMax">How much all newcomers together may take, in bytes, if one source may take as much.</param>
    /// <param name="maxStreams">How many bodies with an open stream all peers may have.</param>
    public BlockwiseBudget(long max, double share, long newcomerMax = long.MaxValue, long maxStreams = long.MaxValue)
    {
        Max = max;
        PeerMax = (long)(max * share);
        NewcomerMax = Math.Min(PeerMax, newcomerMax);
        _isOpen = share >= 1;
        OpenStream = Math.Max(Math.Min(LargestOpenStream, max / FewestStreams), max / Math.Max(1, maxStreams));
    }

    public long Max { get; }

    /// <summary>
    /// The cost of a body with an open stream, in bytes. Its resources are unknown, at least a descriptor: so many fit the bound that the
    /// process keeps descriptors for its connections, logs and stores.
    /// </summary>
    public long OpenStream { get; }

    public long PeerMax { get; }

    /// <summary>
    /// The share of all newcomers together, so that addresses never seen before neither crowd out the others nor take much memory.
    /// </summary>
    public long NewcomerMax { get; }

    public long Used => Volatile.Read(ref _used);

    public long UsedByNewcomers => Newcomers.Bytes;

    /// <summary>How many sources hold something.</summary>
    public int Sources
    {
        get
        {
            lock (_gate)
            {
                return _accounts.Count;
            }
        }
    }

    /// <summary>Returns the account of a source, until <see cref="Leave"/>; the same for all its peers.</summary>
    public BudgetAccount Join(in CoapQuotaSource key)
    {
        lock (_gate)
        {
            ref BudgetAccount? account = ref CollectionsMarshal.GetValueRefOrAddDefault(_accounts, key, out _);
            account ??= new BudgetAccount(key);
            account.Peers++;
            return account;
        }
    }

    /// <summary>Undoes <see cref="Join"/>.</summary>
    public void Leave(BudgetAccount account)
    {
        if (account.Key is { } key)
        {
            lock (_gate)
            {
                if (--account.Peers == 0)
                {
                    _accounts.Remove(key);
                }
            }
        }
    }

    /// <summary>The one source that all newcomers are part of.</summary>
    public BudgetAccount Newcomers { get; } = new(null);

    /// <summary>
    /// The account of all returning unverified peers together; at most <see cref="PeerMax"/>. Attackers that forge addresses need a second
    /// datagram for each of these, so they must not take the room of peers that receive at their address.
    /// </summary>
    public BudgetAccount Unverified { get; } = new(null);

    /// <summary>Stands for all when the whole was too little. Nothing is counted here.</summary>
    public BudgetAccount Everybody { get; } = new(null);

    /// <summary>Takes room.</summary>
    /// <param name="account">The account.</param>
    /// <param name="part">The part of the peer.</param>
    /// <param name="share">The amount from its share.</param>
    /// <param name="bytes">The amount from the whole: less than the share if it is shared with others.</param>
    /// <returns>The shortage; nothing was taken then.</returns>
    public BudgetShortage TryTake(BudgetAccount account, TransferBudgetTier part, long share, long bytes)
    {
        bool isNewcomers = part == TransferBudgetTier.Newcomer;
        long held = account.Add(share);
        if (held > (isNewcomers ? NewcomerMax : PeerMax))
        {
            account.Add(-share);
            return isNewcomers ? BudgetShortage.Newcomers : BudgetShortage.Share;
        }

        BudgetShortage shortage = BudgetShortage.None;
        if (part == TransferBudgetTier.Unverified && !HasRoom(held, PeerMax - Unverified.Add(bytes), PeerMax))
        {
            Unverified.Add(-bytes);
            shortage = BudgetShortage.Unverified;
        }
        else if (!HasRoom(held, Max - Interlocked.Add(ref _used, bytes), Max))
        {
            GiveBack(bytes, part);
            shortage = BudgetShortage.All;
        }

        if (shortage != BudgetShortage.None)
        {
            account.Add(-share);
        }

        return shortage;

        // Memory that others hold anyway may be shared without limit.
        bool HasRoom(long held, long left, long max) =>
            left >= 0 && (_isOpen || bytes < share || FairShare.HasRoom(held, left + bytes, max, least: 0));
    }

    /// <summary>Gives back of the whole, and of the part of the unverified what was taken of it.</summary>
    public void GiveBack(long bytes, TransferBudgetTier part)
    {
        Interlocked.Add(ref _used, -bytes);
        if (part == TransferBudgetTier.Unverified)
        {
            Unverified.Add(-bytes);
        }
    }

    /// <summary>Moves what a transfer takes between the parts when its peer came back or was verified.</summary>
    public void Move(long bytes, TransferBudgetTier from, TransferBudgetTier to) =>
        Unverified.Add((to == TransferBudgetTier.Unverified ? bytes : 0) - (from == TransferBudgetTier.Unverified ? bytes : 0));
}

/// <summary>
/// The account of one part of a <see cref="BlockwiseBudget"/>: one source, all newcomers together, or all returning unverified peers.
/// Thread-safe.
/// </summary>
/// <param name="key">The source, with one account in the budget; null for others.</param>
internal sealed class BudgetAccount(CoapQuotaSource? key)
{
    // For how long after a refusal those that hold room have to show progress.
    private static readonly long s_shortFor = TimeSpan.FromMinutes(1).Ticks;

    private long _bytes;
    private long _refusedAt = long.MinValue;

    public CoapQuotaSource? Key => key;

    /// <summary>How many bytes its transfers take; what is shared with others counts in full.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>How many peers belong to it. Guarded by the budget.</summary>
    public int Peers { get; set; }

    public long Add(long bytes) => Interlocked.Add(ref _bytes, bytes);

    /// <summary>Records a refusal: for a while, its transfers without progress have to be evicted, and no others.</summary>
    public void NoteRefusal(long now) => Volatile.Write(ref _refusedAt, now);

    /// <summary>Whether one of it was refused lately.</summary>
    public bool IsShort(long now) => Volatile.Read(ref _refusedAt) is var at && at != long.MinValue && now - at < s_shortFor;
}

/// <summary>The part of a <see cref="BlockwiseBudget"/> that a transfer takes its bytes from.</summary>
internal enum TransferBudgetTier : byte
{
    /// <summary>Takes from the part that all newcomers share; they only replace each other.</summary>
    Newcomer,

    /// <summary>Takes from the part of returning unverified peers; each source has its share of it.</summary>
    Unverified,

    /// <summary>Takes from the whole.</summary>
    Known,
}

/// <summary>Why there is no room for a body.</summary>
internal enum BudgetShortage : byte
{
    /// <summary>There is.</summary>
    None,

    /// <summary>Its source takes its share already.</summary>
    Share,

    /// <summary>The newcomers take their part already.</summary>
    Newcomers,

    /// <summary>Those that came back but were never verified leave too little of their part.</summary>
    Unverified,

    /// <summary>All of them together leave too little.</summary>
    All,
}

/// <summary>The bounds for bodies in the whole endpoint (RFC 7959 section 7.1).</summary>
/// <param name="limits">The limits.</param>
/// <param name="descriptors">The maximum number of descriptors of the process.</param>
internal sealed class BlockwiseBudgets(CoapLimits limits, long descriptors)
{
    // Of all descriptors: an eighth for each direction, and a handler may need two for a body.
    private const int PartOfDescriptors = 8;

    /// <summary>For the bodies of requests, block by block.</summary>
    public BlockwiseBudget Requests { get; } = Of(limits, limits.Blockwise.RequestMemory, descriptors);

    /// <summary>For the bodies of responses that are fetched block by block.</summary>
    public BlockwiseBudget Responses { get; } = Of(limits, limits.Blockwise.ResponseMemory, descriptors);

    // A quarter of Peers.NewcomerMemory for each, in addition to it: an attacker that forges addresses needs one datagram for each of
    // these.
    private static BlockwiseBudget Of(CoapLimits limits, long max, long descriptors) =>
        new(max, limits.Blockwise.MaxSourceFraction, limits.Peers.NewcomerMemory / 4, descriptors / PartOfDescriptors);
}
