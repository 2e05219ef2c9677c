namespace CoAP.NET.Blockwise;

/// <summary>Which part of a <see cref="BodyBudget"/> a body takes of.</summary>
internal enum BodyStanding : byte
{
    /// <summary>Takes from the part that all newcomers share; they only replace each other.</summary>
    Newcomer,

    /// <summary>Takes from the part of returning unverified peers; each source has its share of it.</summary>
    Unverified,

    /// <summary>Takes from the whole.</summary>
    Known,
}
