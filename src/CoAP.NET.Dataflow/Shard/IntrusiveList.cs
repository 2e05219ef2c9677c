namespace CoAP.NET.Shard;

/// <summary>
/// A linked list with the links inside the objects: removal takes constant time, and the list allocates nothing. A struct inside its owner;
/// not thread-safe.
/// </summary>
internal struct IntrusiveList<T, TPlace>
    where T : class
    where TPlace : struct, IListLinksAccessor<T>
{
    /// <summary>The first object; null when empty.</summary>
    public T? First { get; private set; }

    /// <summary>The last object; null when empty.</summary>
    public T? Last { get; private set; }

    public int Count { get; private set; }

    /// <summary>Appends an object. It must not be in the chain.</summary>
    public void Append(T item) => InsertAfter(Last, item);

    /// <summary>Inserts an object behind another one. It must not be in the chain.</summary>
    /// <param name="previous">The other object, which must be in the chain; null for the first place.</param>
    /// <param name="item">The object.</param>
    public void InsertAfter(T? previous, T item)
    {
        ref ListLinks<T> links = ref TPlace.Of(item);
        links.Previous = previous;
        links.Next = previous is null ? First : TPlace.Of(previous).Next;
        if (previous is not null)
        {
            TPlace.Of(previous).Next = item;
        }
        else
        {
            First = item;
        }

        if (links.Next is { } next)
        {
            TPlace.Of(next).Previous = item;
        }
        else
        {
            Last = item;
        }

        Count++;
    }

    /// <summary>Removes an object. It must be in the chain.</summary>
    public void Remove(T item)
    {
        ref ListLinks<T> links = ref TPlace.Of(item);
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
