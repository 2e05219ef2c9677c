namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// The registrations that have something in common, sorted by their keys, in parts: to enter and to leave costs the size of a part, and
/// pages that come before the one that is wanted are passed over part by part.
/// </summary>
/// <param name="places">All places.</param>
internal sealed class PostingList(DirectoryPlaces places)
{
    private readonly List<PostingChunk> _chunks = [];

    // The last one of them: most are added there, and it is found without a detour.
    private PostingChunk? _last;

    /// <summary>How many registrations it has.</summary>
    public int Count { get; private set; }

    /// <summary>The place of the registration with an order; -1 for none.</summary>
    /// <param name="order">The order.</param>
    public int Find(ulong order)
    {
        if (_last is null || order > _last.Last)
        {
            return -1;
        }

        PostingChunk chunk = _chunks[ChunkOf(order)];
        int at = chunk.Find(places, order);
        return at < chunk.Count && places[chunk[at].Id].Order == order ? chunk[at].Id : -1;
    }

    /// <summary>Has the processor fetch where the next one is likely to be added.</summary>
    public void Fetch() => _last?.Fetch();

    public void Add(Posting posting)
    {
        ulong order = places[posting.Id].Order;
        Count++;
        if (_last is null || order > _last.Last)
        {
            // In order, as after a start: no place is looked for, and parts stay full.
            if (_last is null || _last.Count == PostingChunk.Capacity)
            {
                _chunks.Add(_last = new PostingChunk());
            }

            _last.Insert(places, _last.Count, posting);
            return;
        }

        int index = ChunkOf(order);
        PostingChunk chunk = _chunks[index];
        if (chunk.Count == PostingChunk.Capacity)
        {
            PostingChunk second = chunk.Split(places);
            _chunks.Insert(index + 1, second);
            _last = _chunks[^1];
            chunk = order < second.First ? chunk : second;
        }

        chunk.Insert(places, chunk.Find(places, order), posting);
    }

    public void Remove(int id)
    {
        ulong order = places[id].Order;
        int index = ChunkOf(order);
        PostingChunk chunk = _chunks[index];
        int at = chunk.Find(places, order);
        if (at == chunk.Count || chunk[at].Id != id)
        {
            throw new InvalidOperationException("A list of the directory's index has lost a registration.");
        }

        chunk.RemoveAt(places, at);
        Count--;
        if (chunk.Count == 0)
        {
            _chunks.RemoveAt(index);
            _last = _chunks.Count == 0 ? null : _chunks[^1];
        }
    }

    /// <summary>Goes over as many results as a look-up leaves out, as far as nobody has to look at single ones.</summary>
    /// <param name="results">How many are to be left out; what is still to be left out after it.</param>
    /// <param name="ofLinks">Whether results are links; otherwise they are registrations.</param>
    /// <returns>The order from which on to go.</returns>
    public ulong Skip(ref long results, bool ofLinks)
    {
        foreach (PostingChunk chunk in _chunks)
        {
            int sum = ofLinks ? chunk.LinkSum : chunk.Count;
            if (chunk.LinkLocal != 0)
            {
                return chunk.First;
            }

            if (results < sum)
            {
                int at = 0;
                for (int of; (of = ofLinks ? chunk[at].Links : 1) <= results; at++)
                {
                    results -= of;
                }

                return places[chunk[at].Id].Order;
            }

            results -= sum;
        }

        return ulong.MaxValue;
    }

    /// <summary>Reads some registrations in order.</summary>
    /// <param name="from">From which order on; the one after what was read afterwards.</param>
    /// <param name="into">Where they go.</param>
    /// <returns>How many there were; fewer than fit only at the end.</returns>
    public int Read(ref ulong from, Span<DirectoryEntry> into)
    {
        int count = 0;
        int index = _chunks.Count == 0 ? 0 : ChunkOf(from);
        for (; index < _chunks.Count && count < into.Length; index++)
        {
            PostingChunk chunk = _chunks[index];
            for (int at = chunk.Find(places, from); at < chunk.Count && count < into.Length; at++)
            {
                ref DirectoryPlace place = ref places[chunk[at].Id];
                into[count++] = place.Entry;
                from = place.Order + 1;
            }
        }

        return count;
    }

    // The last one that begins at or before an order.
    private int ChunkOf(ulong order)
    {
        int low = 0;
        int high = _chunks.Count - 1;
        while (low < high)
        {
            int middle = (low + high + 1) / 2;
            (low, high) = _chunks[middle].First <= order ? (middle, high) : (low, middle - 1);
        }

        return low;
    }
}
