namespace CoAP.NET.Shard;

/// <summary>The neighbours of an object in a <see cref="Chain{T, TPlace}"/>. A struct inside the object.</summary>
/// <typeparam name="T">The objects.</typeparam>
internal struct ChainLinks<T>
    where T : class
{
    /// <summary>The one that came before; null for the first.</summary>
    public T? Previous;

    /// <summary>The one that came after; null for the last.</summary>
    public T? Next;
}
