namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Messages in WebSocket messages (RFC 8323 section 4.2).</summary>
internal sealed class WebSocketTarget() : MessageTarget(CoapWebSocketSerializer.Default, default)
{
    public override int Share => 3000;

    public override ulong Run(byte[] input) => RunWhole(input, Reference.ReadWebSocket(input), out _);
}
