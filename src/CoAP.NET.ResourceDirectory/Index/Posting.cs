namespace CoAP.NET.ResourceDirectory;

/// <summary>A registration in a list of the index.</summary>
/// <param name="Id">The number of its place.</param>
/// <param name="Links">How many of its links the list is about.</param>
internal readonly record struct Posting(int Id, ushort Links);
