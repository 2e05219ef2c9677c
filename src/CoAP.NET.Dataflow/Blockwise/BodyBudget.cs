using System.Runtime.InteropServices;
using CoAP.NET.Channels;
using CoAP.NET.Transports;

namespace CoAP.NET.Blockwise;

/// <summary>
/// A bound in bytes that all shards of an endpoint share, with a share for each source. A source never takes more than it leaves to others: so few of them cannot take all of it, however they behave, and who needs
/// little finds room. Thread-safe.
/// </summary>
internal sealed class BodyBudget
{
    // For how long after a refusal those that hold room have to show progress.
    private static readonly long s_shortFor = TimeSpan.FromMinutes(1).Ticks;

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapAddress, BodySource> _sources = [];
    private readonly BodySource _newcomers = new(null);
    private readonly bool _isOpen;
    private long _used;
    private long _refusedAt = long.MinValue;

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

    /// <summary>What one source may take.</summary>
    public long PeerMax { get; }

    /// <summary>What all newcomers together may take, so that addresses nobody has seen before neither crowd out the others nor take much memory.</summary>
    public long NewcomerMax { get; }

    public long Used => Volatile.Read(ref _used);

    public long UsedByNewcomers => _newcomers.Bytes;

    /// <summary>How many sources of addresses hold something.</summary>
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

    /// <summary>What a peer is part of, until <see cref="Leave"/>. Who has proven an identity, or is in a network in which nobody forges addresses, stands for itself; of others the address counts, as ports cost nothing.</summary>
    public BodySource Join(CoapChannel channel, AddressGuard guard)
    {
        CoapAddress remote = channel.Remote;
        if (channel.Identity is not (null or ICoapPeerIdentity { IsKnown: false }) || guard.IsInTrustedNetwork(remote))
        {
            return new BodySource(null);
        }

        CoapAddress address = SourceBudgets.SourceOf(remote);
        lock (_gate)
        {
            ref BodySource? source = ref CollectionsMarshal.GetValueRefOrAddDefault(_sources, address, out _);
            source ??= new BodySource(address);
            source.Peers++;
            return source;
        }
    }

    /// <summary>Undoes <see cref="Join"/>.</summary>
    public void Leave(BodySource source)
    {
        if (source.Address is { } address)
        {
            lock (_gate)
            {
                if (--source.Peers == 0)
                {
                    _sources.Remove(address);
                }
            }
        }
    }

    /// <summary>The one source that all newcomers are part of.</summary>
    public BodySource Newcomers => _newcomers;

    /// <summary>Takes room.</summary>
    /// <param name="source">For whom.</param>
    /// <param name="share">How much of its share.</param>
    /// <param name="bytes">How much of the whole: less than the share where it is shared with others.</param>
    /// <returns>What is missing; then nothing was taken.</returns>
    public BodyShortage TryTake(BodySource source, long share, long bytes)
    {
        long held = source.Add(share);
        if (held > (ReferenceEquals(source, _newcomers) ? NewcomerMax : PeerMax))
        {
            source.Add(-share);
            return BodyShortage.Share;
        }

        long left = Max - Interlocked.Add(ref _used, bytes);
        if (left < 0 || (!_isOpen && bytes >= share && held > left))
        {
            Interlocked.Add(ref _used, -bytes);
            source.Add(-share);
            return BodyShortage.All;
        }

        return BodyShortage.None;
    }

    public void GiveBack(long bytes) => Interlocked.Add(ref _used, -bytes);

    /// <summary>Somebody was refused: for a while those that make no progress have to go.</summary>
    public void NoteRefusal(long now) => Volatile.Write(ref _refusedAt, now);

    /// <summary>Whether somebody was refused lately.</summary>
    public bool IsShort(long now) => Volatile.Read(ref _refusedAt) is var at && at != long.MinValue && now - at < s_shortFor;
}
