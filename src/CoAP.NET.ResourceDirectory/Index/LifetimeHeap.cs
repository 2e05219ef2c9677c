namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>A binary heap of slots by the end of their lifetime, instead of a timer for each.</summary>
internal sealed class LifetimeHeap(RegistrationSlotTable places)
{
    private readonly List<int> _ids = [];

    public int Count => _ids.Count;

    /// <summary>The slot whose lifetime ends first.</summary>
    public int First => _ids[0];

    public void Add(int id)
    {
        _ids.Add(id);
        Up(_ids.Count - 1);
    }

    public void Remove(int id)
    {
        int at = places[id].HeapIndex;
        places[id].HeapIndex = -1;
        int last = _ids[^1];
        _ids.RemoveAt(_ids.Count - 1);
        if (at < _ids.Count)
        {
            _ids[at] = last;
            Up(Down(at));
        }
    }

    /// <summary>Restores the order after a lifetime has changed.</summary>
    public void Update(int id) => Up(Down(places[id].HeapIndex));

    private long Key(int at) => places[_ids[at]].ActiveUntil;

    private void Up(int at)
    {
        while (at > 0 && Key(at) < Key((at - 1) / 2))
        {
            (_ids[at], _ids[(at - 1) / 2]) = (_ids[(at - 1) / 2], _ids[at]);
            Note(at);
            at = (at - 1) / 2;
        }

        Note(at);
    }

    private int Down(int at)
    {
        while (true)
        {
            int child = (2 * at) + 1;
            child += child + 1 < _ids.Count && Key(child + 1) < Key(child) ? 1 : 0;
            if (child >= _ids.Count || Key(child) >= Key(at))
            {
                Note(at);
                return at;
            }

            (_ids[at], _ids[child]) = (_ids[child], _ids[at]);
            Note(at);
            at = child;
        }
    }

    private void Note(int at) => places[_ids[at]].HeapIndex = at;
}
