namespace CoAP.NET.Shard;

/// <summary>
/// Objects in the order in which they came, linked through themselves: any of them leaves at once, and none takes memory. A struct inside
/// its owner; not thread-safe.
/// </summary>
/// <typeparam name="T">The objects.</typeparam>
/// <typeparam name="TPlace">Where an object has its links.</typeparam>
internal struct Chain<T, TPlace>
    where T : class
    where TPlace : struct, IChainPlace<T>
{
    /// <summary>The one that came first; null when there is none.</summary>
    public T? First { get; private set; }

    /// <summary>The one that came last; null when there is none.</summary>
    public T? Last { get; private set; }

    /// <summary>How many there are.</summary>
    public int Count { get; private set; }

    /// <summary>Puts an object behind all others. It must not be in the chain.</summary>
    public void Append(T item)
    {
        ref ChainLinks<T> links = ref TPlace.Of(item);
        links.Previous = Last;
        links.Next = null;
        if (Last is { } last)
        {
            TPlace.Of(last).Next = item;
        }
        else
        {
            First = item;
        }

        Last = item;
        Count++;
    }

    /// <summary>Takes an object out. It must be in the chain.</summary>
    public void Remove(T item)
    {
        ref ChainLinks<T> links = ref TPlace.Of(item);
        if (links.Previous is { } previous)
        {
            TPlace.Of(previous).Next = links.Next;
        }
        else
        {
            First = links.Next;
        }

        if (links.Next is { } next)
        {
            TPlace.Of(next).Previous = links.Previous;
        }
        else
        {
            Last = links.Previous;
        }

        links = default;
        Count--;
    }
}
