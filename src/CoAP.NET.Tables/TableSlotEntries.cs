namespace CoAP.NET.Tables;

/// <summary>
/// The entries of one slot: by key, and by their end. Optimized for many entries: they are in blocks that are never copied, without
/// an object for each. The caller locks.
/// </summary>
internal sealed class TableSlotEntries
{
    /// <summary>No entry.</summary>
    public const int None = -1;

    private const int BlockBits = 6;
    private const int BlockSize = 1 << BlockBits;
    private const int FewestBuckets = 16;
    private const int FewestPlaces = 16;

    private readonly List<TableEntry[]> _blocks = [];
    private int[] _buckets = [];
    private int[] _heap = [];
    private int _heapCount;
    private int _free = None;
    private int _used;

    public int Count { get; private set; }

    /// <summary>The indexes of all entries. They must not change meanwhile.</summary>
    public IEnumerable<int> All => Enumerable.Range(0, _used).Where(index => this[index].Data is not null);

    /// <summary>The entry that ends first; none if no entry expires.</summary>
    public int FirstToEnd => _heapCount > 0 ? _heap[0] : None;

    public ref TableEntry this[int index] => ref _blocks[index >> BlockBits][index & (BlockSize - 1)];

    public int Find(ReadOnlySpan<byte> key)
    {
        if (_buckets.Length == 0)
        {
            return None;
        }

        int index = _buckets[BucketOf(key)] - 1;
        while (index != None && !this[index].Key.SequenceEqual(key))
        {
            index = this[index].Next;
        }

        return index;
    }

    /// <summary>Puts an entry.</summary>
    /// <param name="data">Its key and value, whose ownership passes.</param>
    /// <param name="keyLength">The length of the key.</param>
    /// <param name="expires">Its end.</param>
    /// <returns>Its index. The caller sets the other fields.</returns>
    public int Put(byte[] data, int keyLength, long expires)
    {
        ReadOnlySpan<byte> key = data.AsSpan(0, keyLength);
        int index = Find(key) is not None and var found ? found : Add(key);
        ref TableEntry entry = ref this[index];
        entry.Data = data;
        SetExpires(index, expires);
        return index;
    }

    public void SetExpires(int index, long expires)
    {
        ref TableEntry entry = ref this[index];
        entry.Expires = expires;
        if (expires == TableContents.Never)
        {
            Unplace(index);
        }
        else if (entry.Place == None)
        {
            if (_heapCount == _heap.Length)
            {
                Array.Resize(ref _heap, Math.Max(FewestPlaces, _heapCount + (_heapCount / 2)));
            }

            Place(index, _heapCount++);
            Rise(index);
        }
        else
        {
            Rise(index);
            Sink(index);
        }
    }

    public void Remove(int index)
    {
        ref TableEntry entry = ref this[index];
        ref int first = ref _buckets[BucketOf(entry.Key)];
        if (first - 1 == index)
        {
            first = entry.Next + 1;
        }
        else
        {
            int before = first - 1;
            while (this[before].Next != index)
            {
                before = this[before].Next;
            }

            this[before].Next = entry.Next;
        }

        Unplace(index);
        entry = default;
        entry.Next = _free;
        _free = index;
        Count--;
    }

    private int BucketOf(ReadOnlySpan<byte> key) => CoapTableKey.HashOf(key) & (_buckets.Length - 1);

    private int Add(ReadOnlySpan<byte> key)
    {
        if (Count >= _buckets.Length)
        {
            Rehash();
        }

        int index = _free;
        if (index != None)
        {
            _free = this[index].Next;
        }
        else
        {
            index = _used++;
            if (index >> BlockBits == _blocks.Count)
            {
                _blocks.Add(new TableEntry[BlockSize]);
            }
        }

        ref int first = ref _buckets[BucketOf(key)];
        this[index] = new TableEntry { KeyLength = (byte)key.Length, Next = first - 1, Place = None };
        first = index + 1;
        Count++;
        return index;
    }

    private void Rehash()
    {
        _buckets = new int[Math.Max(FewestBuckets, _buckets.Length * 2)];
        foreach (int index in All)
        {
            ref int first = ref _buckets[BucketOf(this[index].Key)];
            this[index].Next = first - 1;
            first = index + 1;
        }
    }

    private void Unplace(int index)
    {
        int place = this[index].Place;
        if (place == None)
        {
            return;
        }

        this[index].Place = None;
        int last = _heap[--_heapCount];
        if (last != index)
        {
            Place(last, place);
            Rise(last);
            Sink(last);
        }
    }

    private void Place(int index, int place)
    {
        _heap[place] = index;
        this[index].Place = place;
    }

    private void Rise(int index)
    {
        int place = this[index].Place;
        long expires = this[index].Expires;
        while (place > 0 && this[_heap[(place - 1) / 2]].Expires > expires)
        {
            Place(_heap[(place - 1) / 2], place);
            place = (place - 1) / 2;
        }

        Place(index, place);
    }

    private void Sink(int index)
    {
        int place = this[index].Place;
        long expires = this[index].Expires;
        while (true)
        {
            int child = (place * 2) + 1;
            if (child >= _heapCount)
            {
                break;
            }

            if (child + 1 < _heapCount && this[_heap[child + 1]].Expires < this[_heap[child]].Expires)
            {
                child++;
            }

            if (this[_heap[child]].Expires >= expires)
            {
                break;
            }

            Place(_heap[child], place);
            place = child;
        }

        Place(index, place);
    }
}
