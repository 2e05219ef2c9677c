namespace CoAP.NET.Hosting.Tests.Applications;

/// <summary>Tests that let virtual time pass wait until all other threads of the process sleep, so they run alone.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class VirtualTimeCollection
{
    public const string Name = "Virtual time";
}
