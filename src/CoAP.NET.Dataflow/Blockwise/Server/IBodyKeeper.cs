namespace CoAP.NET.Blockwise;

/// <summary>
/// The owner of the entries in a <see cref="BodyTable{TEntry}"/>: it handles the entries that the table evicts. Called under Shard.Gate.
/// </summary>
/// <typeparam name="TEntry">The kind of entries.</typeparam>
internal interface IBodyKeeper<TEntry>
    where TEntry : BodyEntry
{
    /// <summary>An entry was idle too long. It is still in the table.</summary>
    /// <param name="entry">The entry.</param>
    void OnExpired(TEntry entry);

    /// <summary>An entry made no progress while others were refused, perhaps in other shards. It is still in the table.</summary>
    /// <param name="entry">The entry.</param>
    void OnCrowdedOut(TEntry entry);
}
