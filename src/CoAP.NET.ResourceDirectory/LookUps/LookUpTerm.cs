namespace CoAP.NET.ResourceDirectory;

/// <summary>A name and a value that stand in the index.</summary>
/// <param name="Name">The name.</param>
/// <param name="Value">The value in full.</param>
internal readonly record struct LookUpTerm(ReadOnlyMemory<byte> Name, ReadOnlyMemory<byte> Value);
