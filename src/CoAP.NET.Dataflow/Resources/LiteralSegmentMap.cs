namespace CoAP.NET.Resources;

/// <summary>
/// Maps the literal segments below a place in the tree of routes to their nodes. Immutable: a change copies one array of each level, so
/// mapping n routes at one place takes time in proportion to n, not to n². Up to <see cref="MaxWidth"/> segments are one array, sorted by
/// length and bytes. More of them are divided into parts by their hash. The default value is invalid; see <see cref="Empty"/>.
/// </summary>
internal readonly struct LiteralSegmentMap
{
    /// <summary>The maximum number of segments of one array.</summary>
    public const int MaxWidth = 64;

    // The number of parts is a power of two. A part needs its bits of the hash, which has 32 in all.
    private const int PartBits = 5;
    private const int MaxDepth = 32 / PartBits;

    private readonly byte[][] _names;
    private readonly RouteNode[] _places;
    private readonly LiteralSegmentMap[]? _parts;

    private LiteralSegmentMap(byte[][] names, RouteNode[] places, LiteralSegmentMap[]? parts)
    {
        _names = names;
        _places = places;
        _parts = parts;
    }

    public static LiteralSegmentMap Empty { get; } = new([], [], null);

    public bool IsEmpty => _names.Length == 0 && _parts is null;

    /// <summary>Returns the place of a segment; null if there is none.</summary>
    public RouteNode? Find(ReadOnlySpan<byte> segment)
    {
        if (_parts is not null)
        {
            return FindInParts(_parts, segment);
        }

        int index = _names.Length == 0 ? -1 : IndexOf(_names, segment);
        return index >= 0 ? _places[index] : null;
    }

    /// <summary>Returns the segments with another place for one of them, which may be new.</summary>
    public LiteralSegmentMap With(byte[] name, RouteNode place) => Put(name, place, HashOf(name), 0);

    /// <summary>Returns the segments without one of them, which must be there.</summary>
    public LiteralSegmentMap Without(ReadOnlySpan<byte> name) => Cut(name, HashOf(name));

    // Random for each process, so that the names of routes cannot be chosen to have equal hashes.
    private static uint HashOf(ReadOnlySpan<byte> name)
    {
        HashCode hash = default;
        hash.AddBytes(name);
        return (uint)hash.ToHashCode();
    }

    private static int PartOf(uint hash) => (int)(hash & ((1 << PartBits) - 1));

    private static int Compare(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) =>
        left.Length != right.Length ? left.Length - right.Length : left.SequenceCompareTo(right);

    private static int IndexOf(byte[][] names, ReadOnlySpan<byte> segment)
    {
        int low = 0;
        int high = names.Length - 1;
        while (low <= high)
        {
            int middle = (low + high) >>> 1;
            int order = Compare(segment, names[middle]);
            if (order == 0)
            {
                return middle;
            }

            if (order < 0)
            {
                high = middle - 1;
            }
            else
            {
                low = middle + 1;
            }
        }

        return ~low;
    }

    private static RouteNode? FindInParts(LiteralSegmentMap[] parts, ReadOnlySpan<byte> segment)
    {
        uint hash = HashOf(segment);
        while (true)
        {
            ref readonly LiteralSegmentMap part = ref parts[PartOf(hash)];
            if (part._parts is null)
            {
                int index = IndexOf(part._names, segment);
                return index >= 0 ? part._places[index] : null;
            }

            parts = part._parts;
            hash >>= PartBits;
        }
    }

    private static T[] Insert<T>(T[] items, int index, T item) => [.. items.AsSpan(0, index), item, .. items.AsSpan(index)];

    private static T[] Replace<T>(T[] items, int index, T item)
    {
        T[] copy = [.. items];
        copy[index] = item;
        return copy;
    }

    private static T[] Remove<T>(T[] items, int index) => [.. items.AsSpan(0, index), .. items.AsSpan(index + 1)];

    private LiteralSegmentMap Put(byte[] name, RouteNode place, uint hash, int depth)
    {
        if (_parts is not null)
        {
            int at = PartOf(hash);
            return new LiteralSegmentMap([], [], Replace(_parts, at, _parts[at].Put(name, place, hash >> PartBits, depth + 1)));
        }

        int index = IndexOf(_names, name);
        return index >= 0 ? new LiteralSegmentMap(_names, Replace(_places, index, place), null)
            : new LiteralSegmentMap(Insert(_names, ~index, name), Insert(_places, ~index, place), null).Divided(depth);
    }

    // Segments with equal hashes stay in one array.
    private LiteralSegmentMap Divided(int depth)
    {
        if (_names.Length <= MaxWidth || depth == MaxDepth)
        {
            return this;
        }

        LiteralSegmentMap[] parts = new LiteralSegmentMap[1 << PartBits];
        Array.Fill(parts, Empty);
        for (int i = 0; i < _names.Length; i++)
        {
            uint hash = HashOf(_names[i]) >> (PartBits * depth);
            ref LiteralSegmentMap part = ref parts[PartOf(hash)];
            part = part.Put(_names[i], _places[i], hash >> PartBits, depth + 1);
        }

        return new LiteralSegmentMap([], [], parts);
    }

    // Parts that become small stay as they are until all are empty: routes are removed rarely, and a search takes no longer.
    private LiteralSegmentMap Cut(ReadOnlySpan<byte> name, uint hash)
    {
        if (_parts is not null)
        {
            int at = PartOf(hash);
            LiteralSegmentMap[] parts = Replace(_parts, at, _parts[at].Cut(name, hash >> PartBits));
            return Array.TrueForAll(parts, static part => part.IsEmpty) ? Empty : new LiteralSegmentMap([], [], parts);
        }

        int index = IndexOf(_names, name);
        return new LiteralSegmentMap(Remove(_names, index), Remove(_places, index), null);
    }
}
