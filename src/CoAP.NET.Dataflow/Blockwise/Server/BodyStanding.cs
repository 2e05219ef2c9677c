namespace CoAP.NET.Blockwise;

/// <summary>Which part of a <see cref="BodyBudget"/> a body takes of.</summary>
internal enum BodyStanding : byte
{
    /// <summary>Of the part that all newcomers share, who replace nobody but one another.</summary>
    Newcomer,

    /// <summary>Of the part of those that came back but were never verified; each source has its share of it.</summary>
    Unverified,

    /// <summary>Of the whole.</summary>
    Known,
}
