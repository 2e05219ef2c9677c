namespace CoAP.NET.Mesh;

/// <summary>What became of an item that was offered to the linked targets.</summary>
internal enum InlineOutcome
{
    /// <summary>No target took it: it still belongs to the block that offered it.</summary>
    Declined,

    /// <summary>A target took it.</summary>
    Accepted,

    /// <summary>
    /// A target threw: nobody knows whether it keeps the item, so it goes to no other target and its buffer is not given back.
    /// </summary>
    Lost,
}
