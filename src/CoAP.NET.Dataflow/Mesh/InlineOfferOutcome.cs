namespace CoAP.NET.Mesh;

/// <summary>The outcome of offering an item to the linked targets.</summary>
internal enum InlineOfferOutcome
{
    /// <summary>No target accepted it: it still belongs to the offering block.</summary>
    Declined,

    Accepted,

    /// <summary>A target threw and may have kept the item: it goes to no other target, and its buffer is not returned.</summary>
    Lost,
}
