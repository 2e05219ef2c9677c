namespace CoAP.NET.Shard;

/// <summary>Selects the links of an object for a <see cref="IntrusiveList{T, TPlace}"/>, because an object may be in several chains.</summary>
/// <typeparam name="T">The type of the objects.</typeparam>
internal interface ILinkAccessor<T>
    where T : class
{
    /// <summary>Returns the links of an object.</summary>
    /// <param name="item">The object.</param>
    static abstract ref ListLinks<T> Of(T item);
}
