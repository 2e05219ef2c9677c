namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>A name and a value in the index.</summary>
internal readonly record struct LookupTerm(ReadOnlyMemory<byte> Name, ReadOnlyMemory<byte> Value);
