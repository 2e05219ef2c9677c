namespace CoAP.NET.Simulation.Simulate;

/// <summary>What handlers throw on purpose; cancelled ones too, as nobody asked them to stop.</summary>
internal sealed class PlannedException() : OperationCanceledException("as planned");
