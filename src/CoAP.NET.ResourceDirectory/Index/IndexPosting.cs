namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>An entry for a registration in a list of the index.</summary>
/// <param name="Id">The number of its slot.</param>
/// <param name="Links">How many links of the registration belong to the list.</param>
internal readonly record struct IndexPosting(int Id, ushort Links);
