namespace CoAP.NET.Simulation.Simulate;

/// <summary>How a handler fails on purpose.</summary>
internal enum HandlerFailure
{
    None,
    Throws,
    Cancels,
    ReturnsNull,
}
