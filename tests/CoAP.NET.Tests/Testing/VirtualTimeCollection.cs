namespace CoAP.NET.Tests.Testing;

/// <summary>Tests that advance virtual time while code awaits. They look at the whole thread pool, so nothing runs beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class VirtualTimeCollection
{
    public const string Name = "Virtual time";
}
