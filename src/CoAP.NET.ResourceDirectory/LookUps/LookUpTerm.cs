namespace CoAP.NET.ResourceDirectory.LookUps;

/// <summary>A name and a value in the index.</summary>
internal readonly record struct LookUpTerm(ReadOnlyMemory<byte> Name, ReadOnlyMemory<byte> Value);
