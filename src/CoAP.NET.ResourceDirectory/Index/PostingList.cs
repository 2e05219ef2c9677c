namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>
/// The registrations that share a term, sorted by key, in parts. Insertion and removal cost the size of a part; previous pages are skipped
/// part by part.
/// </summary>
internal sealed class PostingList(RegistrationSlotTable places)
{
    private readonly List<PostingChunk> _chunks = [];

    // The last part: most registrations are added there.
    private PostingChunk? _last;

    public int Count { get; private set; }

    /// <summary>Returns the slot of the registration with an order; -1 for none.</summary>
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

    /// <summary>Prefetches the likely position of the next insertion.</summary>
    public void Fetch() => _last?.Fetch();

    public void Add(IndexPosting posting)
    {
        ulong order = places[posting.Id].Order;
        Count++;
        if (_last is null || order > _last.Last)
        {
            // In order, as after a start: needs no search, and parts stay full.
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
            throw new InvalidOperationException("A list of the directory's index has lost a registration. This is a bug of the library.");
        }

        chunk.RemoveAt(places, at);
        Count--;
        if (chunk.Count == 0)
        {
            _chunks.RemoveAt(index);
            _last = _chunks.Count == 0 ? null : _chunks[^1];
        }
    }

    /// <summary>Skips results of a lookup as far as possible without reading single registrations.</summary>
    /// <param name="results">The number of results to skip; afterwards the rest.</param>
    /// <param name="ofLinks">Whether results are links; otherwise registrations.</param>
    /// <returns>The order to continue from.</returns>
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

    /// <summary>Counts the results of a lookup that all registrations of the list match.</summary>
    /// <param name="ofLinks">Whether results are links; otherwise registrations.</param>
    /// <returns>The number of results that every client gets, and the number of registrations that are visible on one network link
    /// only.</returns>
    public (long Certain, long Hidden) CountResults(bool ofLinks)
    {
        (long certain, long hidden) = (0, 0);
        foreach (PostingChunk chunk in _chunks)
        {
            hidden += chunk.LinkLocal;
            certain += !ofLinks ? chunk.Count - chunk.LinkLocal : chunk.LinkLocal == 0 ? chunk.LinkSum : 0;
        }

        return (certain, hidden);
    }

    /// <summary>Reads registrations in order.</summary>
    /// <param name="from">The order to start from; afterwards the next one.</param>
    /// <param name="into">Receives the registrations.</param>
    /// <returns>The number of registrations; less than the capacity only at the end.</returns>
    public int Read(ref ulong from, Span<DirectoryEntry> into)
    {
        int count = 0;
        int index = _chunks.Count == 0 ? 0 : ChunkOf(from);
        for (; index < _chunks.Count && count < into.Length; index++)
        {
            PostingChunk chunk = _chunks[index];
            for (int at = chunk.Find(places, from); at < chunk.Count && count < into.Length; at++)
            {
                ref RegistrationSlot place = ref places[chunk[at].Id];
                into[count++] = place.Entry;
                from = place.Order + 1;
            }
        }

        return count;
    }

    // Returns the last part that begins at or before an order.
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
