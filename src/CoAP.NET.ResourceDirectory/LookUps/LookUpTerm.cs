namespace CoAP.NET.ResourceDirectory;

/// <summary>A name and a value in the index.</summary>
/// <param name="Name">The name.</param>
/// <param name="Value">The full value.</param>
internal readonly record struct LookUpTerm(ReadOnlyMemory<byte> Name, ReadOnlyMemory<byte> Value);
