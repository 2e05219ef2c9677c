namespace CoAP.NET.Shard;

/// <summary>The neighbours of an object in a <see cref="IntrusiveList{T, TPlace}"/>. A struct inside the object.</summary>
internal struct ListLinks<T>
    where T : class
{
    /// <summary>The previous object; null for the first.</summary>
    public T? Previous;

    /// <summary>The next object; null for the last.</summary>
    public T? Next;
}
