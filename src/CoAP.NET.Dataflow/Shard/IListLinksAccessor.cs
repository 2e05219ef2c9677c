namespace CoAP.NET.Shard;

/// <summary>
/// Selects the links of an object for a <see cref="IntrusiveList{T, TPlace}"/>, because an object may be in several chains.
/// </summary>
internal interface IListLinksAccessor<T>
    where T : class
{
    static abstract ref ListLinks<T> Of(T item);
}
