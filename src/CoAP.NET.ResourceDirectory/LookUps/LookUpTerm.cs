namespace CoAP.NET.ResourceDirectory;

/// <summary>A name and a value in the index.</summary>
internal readonly record struct LookUpTerm(ReadOnlyMemory<byte> Name, ReadOnlyMemory<byte> Value);
