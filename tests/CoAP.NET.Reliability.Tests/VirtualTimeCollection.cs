namespace CoAP.NET.Reliability.Tests;

/// <summary>Virtual time waits until every other thread of the process sleeps, so these tests run alone.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class VirtualTimeCollection
{
    public const string Name = "Virtual time";
}
