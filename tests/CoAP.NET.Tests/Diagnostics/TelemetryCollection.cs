namespace CoAP.NET.Tests.Diagnostics;

/// <summary>
/// Tests that listen to spans. There is one source for the process, so nothing runs beside them: other tests count what is allocated when
/// nobody listens.
/// </summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class TelemetryCollection
{
    public const string Name = "Telemetry";
}
