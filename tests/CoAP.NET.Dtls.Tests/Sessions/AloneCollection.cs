namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Tests that measure the memory of the process, while no other test runs.</summary>
[CollectionDefinition(nameof(AloneCollection), DisableParallelization = true)]
public sealed class AloneCollection;
