namespace CoAP.NET.Tests.Shared;

/// <summary>
/// Tests that advance virtual time while code awaits. Virtual time waits until every other thread of the process sleeps, so nothing runs
/// beside them.
/// </summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class VirtualTimeCollection
{
    public const string Name = "Virtual time";
}
