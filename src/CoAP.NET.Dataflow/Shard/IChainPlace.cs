namespace CoAP.NET.Shard;

/// <summary>Which links of an object are those of a <see cref="Chain{T, TPlace}"/>, as an object may stand in several.</summary>
/// <typeparam name="T">The objects.</typeparam>
internal interface IChainPlace<T>
    where T : class
{
    /// <summary>The links of an object.</summary>
    /// <param name="item">The object.</param>
    static abstract ref ChainLinks<T> Of(T item);
}
