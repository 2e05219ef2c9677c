using System.Runtime.InteropServices;

namespace CoAP.NET.Blockwise;

/// <summary>
/// A bound in bytes that all shards of an endpoint share, with a share for each source. A source never takes more than it leaves to others:
/// so few of them cannot take all of it, however they behave, and who needs little finds room. Thread-safe.
/// </summary>
internal sealed class BodyBudget
{
    private readonly Lock _gate = new();
    private readonly Dictionary<CoapSource, BodySource> _sources = [];
    private readonly bool _isOpen;
    private long _used;

    /// <param name="max">How much all peers may take, in bytes.</param>
    /// <param name="share">Which part of it one source may take; with 1 it may take everything.</param>
    /// <param name="newcomerMax">How much all newcomers together may take, in bytes, if one source may take as much.</param>
    public BodyBudget(long max, double share, long newcomerMax = long.MaxValue)
    {
        Max = max;
        PeerMax = (long)(max * share);
        NewcomerMax = Math.Min(PeerMax, newcomerMax);
        _isOpen = share >= 1;
    }

    public long Max { get; }

    /// <summary>The share of one source.</summary>
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
                return _sources.Count;
            }
        }
    }

    /// <summary>Returns the account of a source, until <see cref="Leave"/>; the same for all its peers.</summary>
    public BodySource Join(in CoapSource key)
    {
        lock (_gate)
        {
            ref BodySource? source = ref CollectionsMarshal.GetValueRefOrAddDefault(_sources, key, out _);
            source ??= new BodySource(key);
            source.Peers++;
            return source;
        }
    }

    /// <summary>Undoes <see cref="Join"/>.</summary>
    public void Leave(BodySource source)
    {
        if (source.Key is { } key)
        {
            lock (_gate)
            {
                if (--source.Peers == 0)
                {
                    _sources.Remove(key);
                }
            }
        }
    }

    /// <summary>The one source that all newcomers are part of.</summary>
    public BodySource Newcomers { get; } = new(null);

    /// <summary>
    /// The account of all returning unverified peers together; at most <see cref="PeerMax"/>. Attackers that forge addresses need a second
    /// datagram for each of these, so they must not take the room of peers that receive at their address.
    /// </summary>
    public BodySource Unverified { get; } = new(null);

    /// <summary>Stands for all when the whole was too little. Nothing is counted here.</summary>
    public BodySource Everybody { get; } = new(null);

    /// <summary>Takes room.</summary>
    /// <param name="source">The account.</param>
    /// <param name="standing">The standing of the peer.</param>
    /// <param name="share">The amount from its share.</param>
    /// <param name="bytes">The amount from the whole: less than the share if it is shared with others.</param>
    /// <returns>The shortage; nothing was taken then.</returns>
    public BodyShortage TryTake(BodySource source, BodyStanding standing, long share, long bytes)
    {
        bool isNewcomers = standing == BodyStanding.Newcomer;
        long held = source.Add(share);
        if (held > (isNewcomers ? NewcomerMax : PeerMax))
        {
            source.Add(-share);
            return isNewcomers ? BodyShortage.Newcomers : BodyShortage.Share;
        }

        bool isOwn = bytes >= share;
        BodyShortage shortage = BodyShortage.None;
        if (standing == BodyStanding.Unverified && !Leaves(held, PeerMax - Unverified.Add(bytes), isOwn))
        {
            Unverified.Add(-bytes);
            shortage = BodyShortage.Unverified;
        }
        else if (!Leaves(held, Max - Interlocked.Add(ref _used, bytes), isOwn))
        {
            GiveBack(bytes, standing);
            shortage = BodyShortage.All;
        }

        if (shortage != BodyShortage.None)
        {
            source.Add(-share);
        }

        return shortage;
    }

    /// <summary>Gives back of the whole, and of the part of the unverified what was taken of it.</summary>
    public void GiveBack(long bytes, BodyStanding standing)
    {
        Interlocked.Add(ref _used, -bytes);
        if (standing == BodyStanding.Unverified)
        {
            Unverified.Add(-bytes);
        }
    }

    /// <summary>Moves what an entry takes between the parts when its peer came back or was verified.</summary>
    public void Move(long bytes, BodyStanding from, BodyStanding to) =>
        Unverified.Add((to == BodyStanding.Unverified ? bytes : 0) - (from == BodyStanding.Unverified ? bytes : 0));

    // Memory that others hold anyway may be shared without limit.
    private bool Leaves(long held, long left, bool isOwn) => left >= 0 && (_isOpen || !isOwn || held <= left);
}
